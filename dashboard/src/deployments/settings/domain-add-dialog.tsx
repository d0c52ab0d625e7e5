import type { Deployment } from '@runyard/client'
import { useState } from 'react'
import { TextField } from '../../design/field.tsx'
import { FoldButton } from '../../design/fold-button.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { CopyButton } from '../../design/text/copy-button.tsx'
import { CertificateFields, type GivenCertificate, isGiven } from './certificate-fields.tsx'
import { recordTo } from './domain-words.ts'
import { useAddDomain } from './domains.ts'

/** Adds a domain: shows the DNS record its owner must create, and takes a certificate if one is needed here. */
export function DomainAddDialog(props: {
  deployment: Deployment
  points_to: string | null
  onClose: () => void
}) {
  const { deployment, points_to, onClose } = props
  const [host, setHost] = useState('')
  const [given, setGiven] = useState<GivenCertificate>({ certificate: '', private_key: '' })
  const [isCertified, setCertified] = useState(false)
  const add = useAddDomain(deployment)
  const name = host.trim()
  return (
    <FormDialog
      title="Add a domain"
      verb="Add the domain"
      failure="The domain was not added."
      isDisabled={name === '' || (isCertified && !isGiven(given))}
      onSend={() => add.mutateAsync({ host: name, ...(isCertified && given) })}
      onClose={onClose}
    >
      <TextField
        label="Host name"
        help="A name that you own, without https:// and without a port."
        placeholder="agents.example.com"
        value={host}
        onChange={setHost}
        isMono
        autoFocus
      />
      <RecordToMake name={name} points_to={points_to} />
      <div>
        <FoldButton isOpen={isCertified} onChange={setCertified} className="gap-1 py-0.5 pr-1.5">
          With a certificate of its own
        </FoldButton>
        {isCertified && (
          <div className="mt-3 space-y-4">
            <CertificateFields value={given} onChange={setGiven} />
          </div>
        )}
      </div>
    </FormDialog>
  )
}

function RecordToMake({ name, points_to }: { name: string; points_to: string | null }) {
  const record = recordTo(points_to)
  if (!record) {
    return (
      <p className="text-sm text-ink-soft">
        {points_to === null
          ? 'The listener of this deployment has not said yet at which address it answers.'
          : `This Runyard is reached at ${points_to}, an address that DNS cannot point others to. Set RUNYARD_PUBLIC_URL to the ` +
            'address that others use.'}
      </p>
    )
  }
  return (
    <div className="text-sm text-ink-soft">
      <p>Where its DNS is kept, make this record:</p>
      <p className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md border border-line bg-surface px-3 py-1.5">
        <code className="wrap-anywhere">{name || 'the name'}</code>
        <code className="font-semibold text-ink">{record.type}</code>
        <span className="flex items-center gap-1">
          <code className="wrap-anywhere text-ink">{record.value}</code>
          <CopyButton text={record.value} label="Copy where it leads" />
        </span>
      </p>
      {record.type === 'CNAME' && (
        <p className="mt-1">
          At the top of a zone there is no CNAME: use A and AAAA records to its addresses.
        </p>
      )}
    </div>
  )
}
