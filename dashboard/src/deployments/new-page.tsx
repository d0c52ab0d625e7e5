import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { deploymentsQuery } from '../api/deployments.ts'
import { useMay, useSession } from '../api/session.ts'
import { classes } from '../design/classes.ts'
import { Empty } from '../design/empty.tsx'
import { Page, Section } from '../design/page.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { CodeBlock } from '../design/text/code-block.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import type { From } from './new/draft.ts'
import { NewDeploymentForm } from './new/new-deployment-form.tsx'

const FROM = ['folder', 'tarball', 'git'] as const satisfies From[]

const Search = z.object({
  from: z.enum(FROM).optional().catch(undefined),
  name: addressText,
})

/** A new deployment, or the next revision of the one that the address names. */
export function NewDeploymentPage() {
  const [{ from = 'folder', name }, change] = useAddress(Search)
  const all = useQuery(deploymentsQuery())
  const isKnown = useSession() !== undefined
  const mayWrite = useMay('write')
  const next = all.data?.find((one) => one.name === name)
  const title = next ? `Next revision of ${next.display_name ?? next.name}` : 'New deployment'
  return (
    <Page title={title}>
      <div className="max-w-3xl">
        {!isKnown || !all.data ? (
          <Skeleton lines={6} />
        ) : mayWrite ? (
          <>
            <FromChoice
              from={from}
              onFrom={(value) => change({ from: value }, { replace: true })}
            />
            <NewDeploymentForm
              key={name ?? ''}
              from={from}
              deployments={all.data}
              givenName={name ?? ''}
            />
            <TerminalHint next={next} />
          </>
        ) : (
          <Empty title="Your role (viewer) cannot deploy.">
            An admin or a developer of this workspace can deploy.
          </Empty>
        )}
      </div>
    </Page>
  )
}

const LABELS: Record<From, string> = { folder: 'Folder', tarball: 'Tarball', git: 'Git' }

function FromChoice({ from, onFrom }: { from: From; onFrom: (from: From) => void }) {
  return (
    <fieldset className="mb-4 flex gap-1 border-b border-line">
      <legend className="sr-only">Where it comes from</legend>
      {FROM.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={from === value}
          onClick={() => onFrom(value)}
          className={classes(
            '-mb-px border-b-2 px-3 py-2',
            from === value
              ? 'border-accent font-medium text-ink'
              : 'border-transparent text-ink-soft hover:text-ink',
          )}
        >
          {LABELS[value]}
        </button>
      ))}
    </fieldset>
  )
}

function TerminalHint({ next }: { next: Deployment | undefined }) {
  return (
    <Section title="From a terminal">
      <CodeBlock
        label="The command"
        text={`runyard deploy --url ${location.origin} --name ${next?.name ?? 'my-agent'}`}
      />
    </Section>
  )
}
