import type { Timeline } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { type AgentServer, useAgentServer } from '../api/agent-server.tsx'
import { assistantsQuery } from '../api/assistants.ts'
import { isActive } from '../api/run-state.ts'
import type { FoundRun } from '../api/runs.ts'
import { meaningOfRun } from '../api/states.ts'
import { threadRunsQuery } from '../api/thread-runs.ts'
import { Button, ButtonLink } from '../design/button.tsx'
import { Square } from '../design/icon.gen.tsx'
import { Card, Page, Section, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Badge } from '../design/status.tsx'
import { shortId } from '../design/text/format.ts'
import { Id } from '../design/text/id.tsx'
import { Duration, Elapsed, Time } from '../design/text/time.tsx'
import { toast, toastError } from '../design/toast.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { Talks } from '../shell/talks.tsx'
import { DeliveriesView } from './deliveries-view.tsx'
import { boundsOf, type RunPlace, runQuery, timelineQuery } from './queries.ts'
import { RevisionLink } from './revision-link.tsx'
import { RunAgain } from './run-again.tsx'
import { RunErrorView } from './run-error.tsx'
import { RunLog } from './run-log.tsx'
import { RunSides } from './run-sides.tsx'
import { RowPanel } from './span-panel.tsx'
import { StreamView } from './stream-view.tsx'
import { Waterfall } from './waterfall.tsx'
import { rowsOf } from './waterfall-rows.ts'
import { tokensWords } from './words.ts'

/** One run: its input and output, its facts, its waterfall, its error, its log, its webhook deliveries. */
export function RunPage() {
  const server = useAgentServer()
  const { thread = '', run = '' } = useParams({ strict: false }) as Record<string, string>
  const place = { thread_id: thread, run_id: run }
  const query = useQuery(timelineQuery(server, place))
  const { data } = query
  const { data: siblings } = useQuery({
    ...threadRunsQuery(server, thread),
    refetchInterval: ({ state: { data } }) => {
      const own = data?.runs.find(({ run_id }) => run_id === run)
      return data && !(own && (isActive(own) || own.is_waiting)) ? false : 3_000
    },
  })
  const isWaiting = siblings?.runs.find(({ run_id }) => run_id === run)?.is_waiting ?? false
  const meaning = data && meaningOfRun(data.status, isWaiting)
  return (
    <Page
      title={`Run ${shortId(run)}`}
      badge={meaning && <Badge tone={meaning.tone}>{meaning.word}</Badge>}
      facts={
        data && (
          <>
            <Id id={run} />
            <span>
              on <TextLink to={server.pages.thread(thread)}>thread {shortId(thread)}</TextLink>
            </span>
            <Time at={data.created_at} />
            <Neighbours server={server} runs={siblings?.runs ?? []} run_id={run} />
          </>
        )
      }
      actions={data && <RunActions server={server} timeline={data} />}
    >
      <QueryView query={query} what="the run">
        {(timeline) => (
          <>
            <RunSides server={server} timeline={timeline} isWaiting={isWaiting} />
            <RunView server={server} place={place} timeline={timeline} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

/** The runs before and after this one on its thread. */
function Neighbours(props: { server: AgentServer; runs: readonly FoundRun[]; run_id: string }) {
  const { server, runs } = props
  const at = runs.findIndex(({ run_id }) => run_id === props.run_id)
  const linkTo = (run: FoundRun | undefined, text: string) =>
    run && <TextLink to={server.pages.run(run.thread_id, run.run_id)}>{text}</TextLink>
  return (
    at >= 0 && (
      <>
        {linkTo(runs[at + 1], 'Previous run')}
        {linkTo(runs[at - 1], 'Next run')}
      </>
    )
  )
}

const searchSchema = z.object({ bar: addressText })

function RunView(props: { server: AgentServer; place: RunPlace; timeline: Timeline }) {
  const { server, place, timeline } = props
  const [{ bar }, change] = useAddress(searchSchema)
  const chosen = rowsOf(timeline).find(({ id }) => id === bar)
  const choose = (id: string | undefined) => change({ bar: id }, { replace: true })
  return (
    <>
      <RunFacts server={server} timeline={timeline} />
      {timeline.error && (
        <RunErrorView server={server} timeline={timeline} error={timeline.error} />
      )}
      <Section title="Where the time went">
        <Waterfall server={server} timeline={timeline} chosen={bar} onChoose={choose} />
        {chosen && (
          <RowPanel
            key={chosen.id}
            server={server}
            timeline={timeline}
            row={chosen}
            onClose={() => choose(undefined)}
          />
        )}
        {timeline.attempts.length === 0 && !isActive(timeline) && (
          <p className="mt-2 text-sm text-ink-soft">
            What was at work is kept for a week, and nothing of a run that never began.
          </p>
        )}
      </Section>
      {server.deploymentId && <RunLog deployment_id={server.deploymentId} timeline={timeline} />}
      <DeliveriesView server={server} run_id={place.run_id} />
      <Section title="Stream">
        <StreamView server={server} place={place} />
      </Section>
    </>
  )
}

function RunActions({ server, timeline }: { server: AgentServer; timeline: Timeline }) {
  const { assistant_id, thread_id, run_id, status } = timeline
  const { last } = boundsOf(timeline)
  const { data: run } = useQuery(runQuery(server, timeline))
  const cancel = async () => {
    try {
      await server.client.runs.cancel(thread_id, run_id)
      toast('The run will stop.')
    } catch (error) {
      toastError(error)
    }
  }
  return (
    <>
      {isActive(timeline) && (
        <Talks>
          <Button kind="danger" icon={<Square size={14} />} onPress={cancel}>
            Cancel
          </Button>
        </Talks>
      )}
      {run && (
        <Talks>
          <RunAgain key={run_id} server={server} timeline={timeline} run={run} />
        </Talks>
      )}
      <ButtonLink
        kind="primary"
        to={server.pages.studio(assistant_id, {
          thread: thread_id,
          ...(last && { checkpoint: last.checkpoint_id }),
        })}
      >
        {status === 'error' ? 'Open in Studio where it failed' : 'Open in Studio'}
      </ButtonLink>
    </>
  )
}

function RunFacts({ server, timeline }: { server: AgentServer; timeline: Timeline }) {
  const run = useQuery(runQuery(server, timeline)).data
  const { due_at, started_at, ended_at, attempts, spans, attempt } = timeline
  const models = spans.filter(({ kind }) => kind === 'model')
  const first = Math.min(...models.flatMap(({ first_token_at }) => first_token_at ?? []))
  const last = attempts.at(-1)
  const sum = (name: 'input_tokens' | 'output_tokens') =>
    models.reduce((total, span) => total + (span[name] ?? 0), 0)
  const counted = { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') }
  const { cancel_reason: reason, kwargs } = run ?? {}
  const { cron_id } = (run?.metadata ?? {}) as { cron_id?: string }
  const user = kwargs?.config.configurable?.langgraph_auth_user_id
  const cron = cron_id && (
    <TextLink to={server.pages.cron(cron_id)}>cron {shortId(cron_id)}</TextLink>
  )
  const caller = cron || String(user ?? '–')
  const facts: [string, ReactNode][] = [
    [
      'Took',
      started_at === null ? 'Not begun' : <Duration key="d" from={started_at} to={ended_at} />,
    ],
    ['Queued for', <Duration key="q" from={due_at} to={started_at ?? ended_at} />],
    ['First token', Number.isFinite(first) ? <Elapsed key="f" ms={first - due_at} /> : '–'],
    ['Tokens', counted.input_tokens + counted.output_tokens > 0 ? tokensWords(counted) : '–'],
    ['Assistant', <AssistantLink key="a" server={server} id={timeline.assistant_id} />],
    ['Caller', caller],
    ['Attempts', attempt],
    ['Server', last?.server_id ? <Id key="s" id={last.server_id} isBare /> : '–'],
    ['Revision', <RevisionLink key="r" server={server} id={last?.revision_id ?? null} />],
    ['On a busy thread', run?.multitask_strategy ?? '–'],
    ...(reason ? [['Cancelled', reason] as [string, ReactNode]] : []),
  ]
  return (
    <Card className="mb-6">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-sm text-ink-soft">{name}</dt>
            <dd className="font-medium wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function AssistantLink({ server, id }: { server: AgentServer; id: string }) {
  const { data = [] } = useQuery(assistantsQuery(server))
  const name = data.find(({ assistant_id }) => assistant_id === id)?.name
  return <TextLink to={server.pages.studio(id)}>{name ?? shortId(id)}</TextLink>
}
