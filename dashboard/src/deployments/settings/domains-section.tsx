import type { Deployment, Domain } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../design/button.tsx'
import { Empty } from '../../design/empty.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { Ellipsis, Plus } from '../../design/icon.gen.tsx'
import { Menu, MenuItem, MenuLine } from '../../design/menu.tsx'
import { Section } from '../../design/page.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Status } from '../../design/status.tsx'
import { CopyButton } from '../../design/text/copy-button.tsx'
import { Time, useNow } from '../../design/text/time.tsx'
import { DomainAddDialog } from './domain-add-dialog.tsx'
import { CertificateDialog, CertificateRemovalDialog } from './domain-certificate.tsx'
import { certificateState, DNS_STATES, recordTo } from './domain-words.ts'
import { domainsQuery, useRemoveDomain } from './domains.ts'

type Doing =
  | { what: 'add' }
  | { what: 'certify' | 'uncertify' | 'remove'; domain: Domain }
  | undefined

/** Custom host names, whether their DNS points here, and when their certificates expire. */
export function DomainsSection(props: { deployment: Deployment; mayWrite: boolean }) {
  const { deployment, mayWrite } = props
  const query = useQuery(domainsQuery(deployment.id))
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  const hasSome = (query.data?.resources.length ?? 0) > 0
  const add = (
    <Button size="sm" icon={<Plus size={14} />} onPress={() => setDoing({ what: 'add' })}>
      Add a domain
    </Button>
  )
  return (
    <Section title="Domains" actions={mayWrite && hasSome && add}>
      <QueryView query={query} what="the domains" skeleton={<Skeleton lines={2} />}>
        {({ resources, points_to }) => (
          <>
            {resources.length === 0 ? (
              <Empty title="No domains" {...(mayWrite && { action: add })}>
                The deployment is served at the root of each of its domains.
              </Empty>
            ) : (
              <ul
                aria-label="Domains"
                className="divide-y divide-line rounded-lg border border-line bg-surface"
              >
                {resources.map((domain) => (
                  <DomainRow
                    key={domain.host}
                    domain={domain}
                    points_to={points_to}
                    begin={mayWrite ? setDoing : undefined}
                  />
                ))}
              </ul>
            )}
            {doing?.what === 'add' && (
              <DomainAddDialog deployment={deployment} points_to={points_to} onClose={close} />
            )}
          </>
        )}
      </QueryView>
      {doing?.what === 'certify' && (
        <CertificateDialog deployment={deployment} domain={doing.domain} onClose={close} />
      )}
      <CertificateRemovalDialog
        deployment={deployment}
        domain={doing?.what === 'uncertify' ? doing.domain : undefined}
        onClose={close}
      />
      <DomainRemovalDialog
        deployment={deployment}
        domain={doing?.what === 'remove' ? doing.domain : undefined}
        onClose={close}
      />
    </Section>
  )
}

function DomainRow(props: {
  domain: Domain
  points_to: string | null
  /** Absent for viewers. */
  begin: ((doing: Doing) => void) | undefined
}) {
  const { domain, points_to, begin } = props
  const { word, tone } = DNS_STATES[domain.dns]
  const record = domain.dns === 'points_here' ? undefined : recordTo(points_to)
  return (
    <li aria-label={domain.host} className="flex items-start justify-between gap-3 px-3 py-2">
      <div className="min-w-0 space-y-1">
        <p className="flex items-center gap-1">
          <span className="font-medium wrap-anywhere">{domain.host}</span>
          <CopyButton text={domain.url} label={`Copy the address of ${domain.host}`} />
        </p>
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
          <Status tone={tone}>{word}</Status>
          <Certificate certificate={domain.certificate} />
        </p>
        {record && (
          <p className="text-sm text-ink-soft">
            It needs a {record.type} record to <code className="wrap-anywhere">{record.value}</code>
            .{domain.dns === 'elsewhere' && ' Behind a CDN or a proxy it is right as it is.'}
          </p>
        )}
      </div>
      {begin && (
        <Menu
          trigger={
            <IconButton label={`Actions for ${domain.host}`} icon={<Ellipsis size={16} />} />
          }
        >
          <MenuItem onAction={() => begin({ what: 'certify', domain })}>
            {domain.certificate ? 'Renew the certificate' : 'Set a certificate'}
          </MenuItem>
          {domain.certificate && (
            <MenuItem onAction={() => begin({ what: 'uncertify', domain })}>
              Remove the certificate
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem isDanger onAction={() => begin({ what: 'remove', domain })}>
            Remove the domain
          </MenuItem>
        </Menu>
      )}
    </li>
  )
}

function Certificate({ certificate }: Pick<Domain, 'certificate'>) {
  const now = useNow(60_000)
  if (!certificate) return <span className="text-ink-soft">No certificate of its own</span>
  const tone = certificateState(certificate.expires_at, now)
  return (
    <Status tone={tone}>
      {tone === 'bad' ? 'Certificate expired ' : 'Certificate expires '}
      <Time at={certificate.expires_at} />
    </Status>
  )
}

/** Asks before removing a domain; open while `domain` is set. */
function DomainRemovalDialog(props: {
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
