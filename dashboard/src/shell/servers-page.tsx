/**
 * Pages about one agent server that are not below a deployment. The address names the deployment, else it is the one
 * chosen most recently; the page can choose another. With a single agent server there is no choice.
 */
import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { z } from 'zod'
import { type AgentServer, agentServer } from '../api/agent-server.tsx'
import { deploymentsQuery, runtimeQuery } from '../api/deployments.ts'
import { MODE } from '../api/mode.ts'
import { useMay } from '../api/session.ts'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ErrorNote } from '../design/error-note.tsx'
import { SelectField } from '../design/field.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { addressText, useAddress } from './address.ts'
import { Asleep, AsleepNote } from './asleep.tsx'

const searchSchema = z.object({ deployment: addressText })

/**
 * A page about the chosen agent server, which `actions` and `children` receive. `children` are shown only while there
 * is a server.
 */
export function ServerPage(props: {
  title: string
  actions?: (server: AgentServer) => ReactNode
  children: (server: AgentServer) => ReactNode
}) {
  if (MODE === 'agent-server') return <OwnServerPage {...props} />
  return <ChosenServerPage {...props} />
}

type Props = Parameters<typeof ServerPage>[0]

function OwnServerPage({ title, actions, children }: Props) {
  const server = useMemo(() => agentServer(), [])
  return (
    <Page title={title} actions={actions?.(server)}>
      {children(server)}
    </Page>
  )
}

function ChosenServerPage({ title, actions, children }: Props) {
  const query = useQuery(deploymentsQuery())
  const [{ deployment }, change] = useAddress(searchSchema)
  const chosen = choose(query.data ?? [], deployment)
  const { id, name } = chosen ?? {}
  const server = useMemo(() => (id && name ? agentServer({ id, name }) : undefined), [id, name])
  const awake = useAwake(id)
  const picker = query.data && query.data.length > 0 && (
    <div className="w-52">
      <SelectField
        label="Deployment"
        isLabelHidden
        value={chosen?.id}
        onChange={(id) => {
          rememberDeployment(id)
          change({ deployment: id })
        }}
        choices={query.data.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </div>
  )
  return (
    <Page
      title={title}
      actions={
        <>
          {picker}
          {server && awake.isOpen && actions?.(server)}
        </>
      }
    >
      <QueryView query={query} what="the deployments">
        {() =>
          server ? (
            <WhenAwake key={server.key} awake={awake}>
              {children(server)}
            </WhenAwake>
          ) : (
            <NoServer title={title} />
          )
        }
      </QueryView>
    </Page>
  )
}

/** Opening such a page wakes no deployment. */
function WhenAwake(props: { awake: ReturnType<typeof useAwake>; children: ReactNode }) {
  const { isOpen, isAsleep, isWaking, since, error, retry, wake } = props.awake
  if (isOpen) {
    return (
      <>
        {isAsleep && <AsleepNote isWaking={isWaking} />}
        {props.children}
      </>
    )
  }
  if (isAsleep) return <Asleep since={since} isWaking={false} verb="Wake" onWake={wake} />
  if (!error) return <Skeleton lines={5} />
  return <ErrorNote title="Could not read whether it is awake." error={error} retry={retry} />
}

/** The deployment that the address names, else the one chosen most recently, else the first deployed one by name. */
function choose(all: readonly Deployment[], id: string | undefined): Deployment | undefined {
  const find = (wanted: string | undefined) => all.find((one) => one.id === wanted)
  const found = find(id) ?? find(chosenDeployment())
  if (found) return found
  const byName = all.toSorted((a, b) => a.name.localeCompare(b.name))
  return byName.find(({ active_revision_id }) => active_revision_id) ?? byName[0]
}

function NoServer({ title }: { title: string }) {
  const mayWrite = useMay('write')
  return (
    <Empty
      title="There is no deployment yet"
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

/** The deployment chosen most recently in this browser, on a page about one deployment. */
const KEY = 'runyard.deployment'

/** Its id; it may have been deleted, or belong to another workspace. */
function chosenDeployment(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined
}

function rememberDeployment(id: string): void {
  localStorage.setItem(KEY, id)
}

/**
 * Whether a page may send requests to the deployment's agent server: once it was awake, or the user woke it here. Data
 * stays visible when it falls asleep again.
 */
function useAwake(deploymentId: string | undefined) {
  const query = useQuery({
    ...runtimeQuery(deploymentId ?? ''),
    enabled: deploymentId !== undefined,
  })
  const { data, error } = query
  const isAsleep = data?.state === 'asleep'
  const [opened, setOpened] = useState<{ id: string; isWaking: boolean }>()
  const isOpen = opened !== undefined && opened.id === deploymentId
  const isSeenAwake = deploymentId !== undefined && data !== undefined && !isAsleep
  if (isSeenAwake && (!isOpen || opened.isWaking)) setOpened({ id: deploymentId, isWaking: false })
  return {
    isOpen,
    isAsleep,
    /** The user woke it here, and it does not respond yet. */
    isWaking: isOpen && opened.isWaking,
    since: data?.asleep_since,
    error: data ? null : error,
    retry: () => void query.refetch(),
    wake: () => deploymentId && setOpened({ id: deploymentId, isWaking: true }),
  }
}
