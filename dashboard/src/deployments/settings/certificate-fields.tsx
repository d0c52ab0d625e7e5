import { FileTrigger } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { TextAreaField } from '../../design/field.tsx'
import { Upload } from '../../design/icon.gen.tsx'

export interface GivenCertificate {
  certificate: string
  private_key: string
}

export function isGiven({ certificate, private_key }: GivenCertificate): boolean {
  return certificate.trim() !== '' && private_key.trim() !== ''
}

/** A certificate and its key, as files or pasted. */
export function CertificateFields(props: {
  value: GivenCertificate
  onChange: (value: GivenCertificate) => void
}) {
  const { value, onChange } = props
  return (
    <>
      <p className="text-sm text-ink-soft">
        It is shown where Runyard itself speaks TLS. Behind a proxy, that one has the certificates.
      </p>
      <PemField
        label="Certificate"
        help="In PEM, followed by those of its chain: often fullchain.pem."
        placeholder="-----BEGIN CERTIFICATE-----"
        value={value.certificate}
        onChange={(certificate) => onChange({ ...value, certificate })}
      />
      <PemField
        label="Private key"
        help="In PEM, without a passphrase: often privkey.pem. It is kept encrypted, and never shown again."
        placeholder="-----BEGIN PRIVATE KEY-----"
        value={value.private_key}
        onChange={(private_key) => onChange({ ...value, private_key })}
      />
    </>
  )
}

function PemField(props: {
  label: string
  help: string
  placeholder: string
  value: string
  onChange: (text: string) => void
}) {
  const { label, onChange } = props
  const read = async (files: FileList | null) => {
    const file = files?.[0]
    if (file) onChange(await file.text())
  }
  return (
    <div className="relative">
      <TextAreaField {...props} rows={3} isMono />
      <div className="absolute -top-2.5 right-0">
        <FileTrigger onSelect={(files) => void read(files)}>
          <Button size="sm" icon={<Upload size={14} />}>
            <span className="sr-only">{label}: </span>From a file
          </Button>
        </FileTrigger>
      </div>
    </div>
  )
}
