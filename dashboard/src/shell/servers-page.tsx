/**
 * Pages about all agent servers. They read from each awake deployment, or only from the one that the address names. They
 * wake none: sleeping ones are named, with a button that wakes them.
 */
import { type UseQueryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
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
import { ErrorNote, reasonOf } from '../design/error-note.tsx'
import { SelectField } from '../design/field.tsx'
import { Page, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton, useShown } from '../design/skeleton.tsx'
import { Status } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { toast } from '../design/toast.tsx'
import { addressText, useAddress } from './address.ts'

const searchSchema = z.object({ deployment: addressText })

interface Props {
  title: string
  actions?: (servers: readonly [AgentServer, ...AgentServer[]]) => ReactNode
  /** Not shown if no server is awake. */
  children: (servers: readonly AgentServer[]) => ReactNode
}

export function ServersPage(props: Props) {
  if (MODE === 'agent-server') return <OwnServerPage {...props} />
  return <AllServersPage {...props} />
}

function OwnServerPage({ title, actions, children }: Props) {
  const servers = useMemo(() => [agentServer()] as const, [])
  return (
    <Page title={title} actions={actions?.(servers)}>
      {children(servers)}
    </Page>
  )
}

/** The select's value for "no filter". */
const ALL = 'all'

function AllServersPage({ title, actions, children }: Props) {
  const query = useQuery(answeringQuery())
  const [{ deployment }, change] = useAddress(searchSchema)
  const { servers, silent } = useServers(query.data, deployment)
  const { awake = [], asleep = [] } = query.data ?? {}
  const all = [...awake, ...asleep].toSorted((a, b) => a.name.localeCompare(b.name))
  const [first, ...rest] = servers
  const picker = (all.length > 1 || deployment !== undefined) && (
    <div className="w-52">
      <SelectField
        label="Deployment"
        isLabelHidden
        value={deployment ?? ALL}
        onChange={(id) => change({ deployment: id === ALL ? undefined : id })}
        choices={[
          { value: ALL, label: 'All deployments' },
          ...all.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </div>
  )
  return (
    <Page
      title={title}
      actions={
        <>
          {picker}
          {first && actions?.([first, ...rest])}
        </>
      }
    >
      <QueryView query={query} what="the deployments">
        {() => (
          <>
            {first && children(servers)}
            {!first && silent.length === 0 && <NoServer title={title} />}
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

/** How many deployments that are not awake are named. */
const MOST_NAMED = 20

function NotAwake({
  deployments,
}: {
  deployments: (Answering['asleep'][number] & { isSeen: boolean })[]
}) {
  // The rows above have loaded by then: they would move it.
  const isShown = useShown(true)
  if (!isShown || deployments.length === 0) return null
  const left = deployments.length - MOST_NAMED
  return (
    <section aria-label="Not awake" className="mt-4 text-sm text-ink-soft">
      <p className="flex flex-wrap gap-x-2">
        <Status tone="off">Not awake</Status>
        <span>
          {deployments.some(({ isSeen }) => isSeen)
            ? 'Rows of these deployments were read before.'
            : 'These deployments were not read: reading would wake them.'}
        </span>
      </p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {deployments.slice(0, MOST_NAMED).map(({ id, name }) => (
          <li
            key={id}
            className="flex items-center gap-2 rounded-md border border-line bg-surface py-1 pr-1 pl-2.5"
          >
            <TextLink to={pagesOf(id).overview}>{name}</TextLink>
            <WakeButton id={id} name={name} />
          </li>
        ))}
        {left > 0 && <li className="py-1.5">and {left} more</li>}
      </ul>
    </section>
  )
}

/** Sends a request that is not a glance, and waits for its answer. */
function WakeButton({ id, name }: { id: string; name: string }) {
  const wake = useChange(answeringQuery().queryKey, (error) =>
    toast(reasonOf(error), { tone: 'bad' }),
  )
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
      Here you would see its {title.toLowerCase()}.
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
  const isRead = results.some(({ isPending }) => !isPending)
  // The next page's rows replace them.
  const last = useRef<OfServer<T>[]>(undefined)
  useEffect(() => {
    if (isRead) last.current = rows
  })
  const shown = isRead ? rows : last.current
  if (!shown) return <Skeleton lines={5} />
  return (
    <>
      {results.map(({ error, refetch }, at) => {
        // It has just fallen asleep, and is named as such.
        if (!error || statusOf(error) === 409) return null
        const { key, name } = servers[at] as AgentServer
        const where = servers.length > 1 ? ` of ${name}` : ''
        return (
          <div key={key} className="mb-3">
            <ErrorNote
              error={error}
              title={`Could not read ${what}${where}.`}
              retry={() => void refetch()}
            />
          </div>
        )
      })}
      {props.children(shown)}
    </>
  )
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
