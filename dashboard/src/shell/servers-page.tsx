/**
 * Pages about all agent servers. They read from each awake deployment, or only from the one that the address names. They
 * wake none: sleeping ones are named, with a button that wakes them.
 */
import { type UseQueryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { z } from 'zod'
import { askAgent } from '../api/agent-request.ts'
import { type AgentServer, agentServer, atAGlance } from '../api/agent-server.tsx'
import { pagesOf } from '../api/deployment-pages.ts'
import { type Answering, answeringQuery } from '../api/deployments.ts'
import { MODE } from '../api/mode.ts'
import { statusOf } from '../api/query-client.ts'
import { useMay } from '../api/session.ts'
import { useChange } from '../api/use-change.ts'
import { Button, ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ErrorNote } from '../design/error-note.tsx'
import { SelectField } from '../design/field.tsx'
import { Page, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton, useShown } from '../design/skeleton.tsx'
import { Status } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { toastError } from '../design/toast.tsx'
import { addressText, useAddress } from './address.ts'
import { ChoiceFilter } from './filters.tsx'

const searchSchema = z.object({ deployment: addressText })

interface Props {
  title: string
  /** Neither these nor the children are shown if no server is awake. */
  actions?: ReactNode
  children: (servers: readonly AgentServer[]) => ReactNode
}

export function ServersPage(props: Props) {
  if (MODE === 'agent-server') return <OwnServerPage {...props} />
  return <AllServersPage {...props} />
}

function OwnServerPage({ title, actions, children }: Props) {
  const servers = useMemo(() => [agentServer()], [])
  return (
    <Page title={title} actions={actions}>
      {children(servers)}
    </Page>
  )
}

function AllServersPage({ title, actions, children }: Props) {
  const query = useQuery(answeringQuery())
  const [{ deployment }, change] = useAddress(searchSchema)
  const { servers, silent } = useServers(query.data, deployment)
  const { awake = [], asleep = [] } = query.data ?? {}
  const all = [...awake, ...asleep].toSorted((a, b) => a.name.localeCompare(b.name))
  const hasServer = servers.length > 0
  const picker = (all.length > 1 || deployment !== undefined) && (
    <ChoiceFilter
      label="Deployment"
      any="All deployments"
      value={deployment}
      onChange={(id) => change({ deployment: id })}
      choices={all.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
  return (
    <Page
      title={title}
      actions={
        <>
          {picker}
          {hasServer && actions}
        </>
      }
    >
      <QueryView query={query} what="the deployments">
        {() => (
          <>
            {hasServer && children(servers)}
            {!hasServer && silent.length === 0 && <NoServer title={title} />}
            <NotAwake deployments={silent} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

/** Servers stay after they fall asleep, with the rows that were read before. `silent`: those that are not awake. */
function useServers(data: Answering | undefined, chosen: string | undefined) {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const { awake = [] } = data ?? {}
  if (awake.some(({ id }) => !seen.has(id))) {
    setSeen(new Set([...seen, ...awake.map(({ id }) => id)]))
  }
  return useMemo(() => {
    const isMeant = ({ id }: { id: string }) => chosen === undefined || id === chosen
    const silent = (data?.asleep ?? []).filter(isMeant)
    const all = [...(data?.awake ?? []).filter(isMeant), ...silent.filter(({ id }) => seen.has(id))]
    const servers = all.toSorted((a, b) => a.name.localeCompare(b.name)).map(agentServer)
    return { servers, silent: silent.map((one) => ({ ...one, isSeen: seen.has(one.id) })) }
  }, [data, chosen, seen])
}

/** How many deployments after one sentence are named. */
const MOST_NAMED = 20

type Silent = Answering['asleep'][number] & { isSeen: boolean }

function sentenceOf({ isSeen, state }: Silent): string {
  if (isSeen) return 'Rows of these deployments were read before.'
  return state === 'asleep'
    ? 'These deployments were not read: reading would wake them.'
    : 'These deployments were not read: they do not serve now.'
}

function NotAwake({ deployments }: { deployments: Silent[] }) {
  // The rows above have loaded by then: they would move it.
  const isShown = useShown(true)
  if (!isShown || deployments.length === 0) return null
  return (
    <section aria-label="Not awake" className="mt-4 space-y-2 text-sm text-ink-soft">
      {[...Map.groupBy(deployments, sentenceOf)].map(([sentence, all]) => (
        <Fragment key={sentence}>
          <p className="flex flex-wrap gap-x-2">
            <Status tone="off">Not awake</Status>
            <span>{sentence}</span>
          </p>
          <ul className="flex flex-wrap gap-2">
            {all.slice(0, MOST_NAMED).map(({ id, name, state }) => (
              <li
                key={id}
                className="flex items-center gap-2 rounded-md border border-line bg-surface px-2.5 py-1"
              >
                <TextLink to={pagesOf(id).overview}>{name}</TextLink>
                {state === 'asleep' && <WakeButton id={id} name={name} />}
              </li>
            ))}
            {all.length > MOST_NAMED && (
              <li className="py-1.5">and {all.length - MOST_NAMED} more</li>
            )}
          </ul>
        </Fragment>
      ))}
    </section>
  )
}

/** Sends a request that is not a glance, and waits for its answer. */
function WakeButton({ id, name }: { id: string; name: string }) {
  const wake = useChange(answeringQuery().queryKey, toastError)
  const server = useMemo(() => agentServer({ id, name }), [id, name])
  return (
    <Button
      size="sm"
      aria-label={`Wake ${name}`}
      isPending={wake.isPending}
      onPress={() => wake.mutate(() => askAgent(server, 'POST', '/assistants/count', {}))}
    >
      Wake
    </Button>
  )
}

function NoServer({ title }: { title: string }) {
  const mayWrite = useMay('write')
  return (
    <Empty
      title="No deployment serves"
      action={
        mayWrite && (
          <ButtonLink to="/deployments/new" kind="primary">
            Deploy an agent
          </ButtonLink>
        )
      }
    >
      Once a deployment serves, this page shows its {title.toLowerCase()}.
    </Empty>
  )
}

export type OfServer<T> = T & { server: AgentServer }

/** The rows of several servers, in the order of the servers. The errors of those that could not be read come first. */
export function AllRows<T extends object, Key extends readonly unknown[]>(props: {
  servers: readonly AgentServer[]
  /** Reads one server's rows. It gets a server that it does not wake. */
  query: (server: AgentServer) => UseQueryOptions<T[], Error, T[], Key>
  /** The name of the rows for errors: "the crons". */
  what: string
  children: (rows: OfServer<T>[]) => ReactNode
}) {
  const { servers, query, what } = props
  const results = useQueries({ queries: servers.map((server) => query(atAGlance(server))) })
  const rows = results.flatMap(({ data }, at) => {
    const server = servers[at] as AgentServer
    return (data ?? []).map((row) => ({ ...row, server }))
  })
  const isWhole = results.every(({ isPending }) => !isPending)
  // The next page's rows replace them, once all servers have returned theirs.
  const last = useRef<OfServer<T>[]>(undefined)
  useEffect(() => {
    if (isWhole) last.current = rows
  })
  const shown = isWhole ? rows : (last.current ?? rows)
  if (!isWhole && shown.length === 0) return <Skeleton lines={5} />
  return (
    <>
      <ReadErrors what={what} servers={servers} results={results} />
      {props.children(shown)}
    </>
  )
}

/** The errors of servers that could not be read, except sleeping ones: pages name these as such. */
export function ReadErrors(props: {
  /** The name of the rows: "the crons". */
  what: string
  servers: readonly AgentServer[]
  /** In the order of the servers. */
  results: readonly { error: unknown; refetch: () => unknown }[]
}) {
  return props.results.map(({ error, refetch }, at) => {
    if (!error || statusOf(error) === 409) return null
    const { key, name } = props.servers[at] as AgentServer
    const title = `Could not read ${props.what} of ${name}.`
    return (
      <div key={key} className="mb-3">
        <ErrorNote error={error} title={title} retry={() => void refetch()} />
      </div>
    )
  })
}

/** The column of the deployment's name, if there are several. */
export function serverColumns<T>(
  servers: readonly AgentServer[],
  more: Pick<Column<T>, 'from'> = {},
): Column<OfServer<T>>[] {
  if (servers.length < 2) return []
  return [{ id: 'server', header: 'Deployment', cell: ({ server }) => server.name, ...more }]
}

/** Chooses the deployment of a new thing, if there are several. */
export function ServerField(props: {
  servers: readonly AgentServer[]
  value: AgentServer
  onChange: (server: AgentServer) => void
}) {
  const { servers, value, onChange } = props
  if (servers.length < 2) return null
  return (
    <SelectField
      label="Deployment"
      value={value.key}
      onChange={(key) => onChange(servers.find((one) => one.key === key) ?? value)}
      choices={servers.map(({ key, name }) => ({ value: key, label: name }))}
    />
  )
}

/** Leads to the pages before and after; absent if this is the only one. */
export function Pages(props: { page: number; hasMore: boolean; onPage: (page: number) => void }) {
  const { page, hasMore, onPage } = props
  if (page === 0 && !hasMore) return null
  return (
    <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
      <Button size="sm" isDisabled={page === 0} onPress={() => onPage(page - 1)}>
        Previous
      </Button>
      <Button size="sm" isDisabled={!hasMore} onPress={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  )
}
