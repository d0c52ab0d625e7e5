import type { Deployment, Domain } from '@runyard/client'
import { useState } from 'react'
import { ConfirmDialog, FormDialog } from '../../design/form-dialog.tsx'
import { Facts } from '../../design/page.tsx'
import { exactText } from '../../design/text/format.ts'
import { CertificateFields, type GivenCertificate, isGiven } from './certificate-fields.tsx'
import { useRemoveCertificate, useSetCertificate } from './domains.ts'

/** Sets or replaces a domain's certificate; shows the current one. */
export function CertificateDialog(props: {
  deployment: Deployment
  domain: Domain
  onClose: () => void
}) {
  const { deployment, domain, onClose } = props
  const { host, certificate } = domain
  const [given, setGiven] = useState<GivenCertificate>({ certificate: '', private_key: '' })
  const set = useSetCertificate(deployment, host)
  return (
    <FormDialog
      title={`The certificate of ${host}`}
      verb="Set the certificate"
      failure="The certificate was not taken."
      isDisabled={!isGiven(given)}
      onSend={() => set.mutateAsync(given)}
      onClose={onClose}
    >
      {certificate && (
        <Facts
          facts={[
            ['Issued by', certificate.issuer],
            ['For', certificate.names.join(', ')],
            ['Valid until', exactText(Date.parse(certificate.expires_at))],
          ]}
        />
      )}
      <CertificateFields value={given} onChange={setGiven} />
    </FormDialog>
  )
}

/** Asks before removing a certificate; open while `domain` is set. */
export function CertificateRemovalDialog(props: {
  deployment: Deployment
  domain: Domain | undefined
  onClose: () => void
}) {
  const { deployment, domain, onClose } = props
  const remove = useRemoveCertificate(deployment)
  return (
    <ConfirmDialog
      title="Remove a certificate"
      isOpen={domain !== undefined}
      onClose={onClose}
      verb="Remove the certificate"
      onConfirm={() => remove.mutateAsync(domain?.host ?? '')}
    >
      <p>
        New connections to <code className="wrap-anywhere">{domain?.host}</code> then get the
        installation’s certificate. Browsers refuse it unless it is for this name.
      </p>
    </ConfirmDialog>
  )
}
