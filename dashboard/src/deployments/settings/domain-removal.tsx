import type { Deployment, Domain } from '@runyard/client'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { useRemoveDomain } from './domains.ts'

/** Asks before removing a domain; open while `domain` is set. */
export function DomainRemovalDialog(props: {
  deployment: Deployment
  domain: Domain | undefined
  onClose: () => void
}) {
  const { deployment, domain, onClose } = props
  const remove = useRemoveDomain(deployment)
  return (
    <ConfirmDialog
      title="Remove a domain"
      isOpen={domain !== undefined}
      onClose={onClose}
      verb="Remove the domain"
      onConfirm={() => remove.mutateAsync(domain?.host ?? '')}
    >
      <p>
        {deployment.name} does not answer at <code className="wrap-anywhere">{domain?.host}</code>{' '}
        any more, as soon as you say so. {domain?.certificate && 'Its certificate goes with it. '}
        Take its DNS record away, too: others on this Runyard could add the name then.
      </p>
    </ConfirmDialog>
  )
}
