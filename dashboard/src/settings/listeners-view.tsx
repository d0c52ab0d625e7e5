import type { Deployment, Listener } from '@runyard/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { pagesOf } from '../api/deployment-pages.ts'
import { deploymentsQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import type { Meaning } from '../api/states.ts'
import { Button, IconButton } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Ellipsis, Plus } from '../design/icon.gen.tsx'
import { Menu, MenuItem, MenuLine } from '../design/menu.tsx'
import { TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Status } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { ListenerDialog } from './listener-dialog.tsx'
import { type Doing, LeavingDialog } from './listener-leaving.tsx'
import { listenersQuery } from './queries.ts'

const STATES = {
  unheard: { word: 'Never started', tone: 'off' },
  listening: { word: 'Listens', tone: 'good' },
  away: { word: 'Away', tone: 'bad' },
} as const satisfies Record<Listener['state'], Meaning>

/** Other clusters where deployments run, and whether their listeners still report. */
export function ListenersView() {
  const query = useQuery(listenersQuery())
  const deployments = useQuery(deploymentsQuery()).data
  const queries = useQueryClient()
  const mayWrite = useMay('write')
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: listenersQuery().queryKey })
  const make = (
    <Button kind="primary" icon={<Plus size={14} />} onPress={() => setDoing({ what: 'create' })}>
      New listener
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose text-ink-soft">
          A listener runs deployments of images in another cluster: it asks here what is to run, so
          that nothing has to reach into that cluster.
        </p>
        {mayWrite && query.data !== undefined && query.data.length > 0 && make}
      </div>
      <QueryView query={query} what="the listeners">
        {(listeners) => (
          <Table
            label="Listeners"
            columns={columnsFor(deployments, mayWrite ? setDoing : undefined)}
            rows={listeners}
            keyOf={({ id }) => id}
            empty={
              <Empty title="There are no listeners." {...(mayWrite && { action: make })}>
                All that is deployed runs where Runyard does. With a listener it also runs in
                another cluster, or on another machine with containers.
              </Empty>
            }
          />
        )}
      </QueryView>
      {(doing?.what === 'create' || doing?.what === 'new-key') && (
        <ListenerDialog
          {...(doing.what === 'new-key' && { listener: doing.listener })}
          onClose={close}
          onDone={() => void refresh()}
        />
      )}
      <LeavingDialog
        doing={doing}
        deployments={doing && 'listener' in doing ? runningAt(doing.listener, deployments) : []}
        onClose={close}
        onDone={refresh}
      />
    </>
  )
}

/** `begin`: absent for viewers. */
function columnsFor(
  deployments: readonly Deployment[] | undefined,
  begin: ((doing: Doing) => void) | undefined,
): readonly Column<Listener>[] {
  const columns: Column<Listener>[] = [
    {
      id: 'name',
      header: 'Name',
      isRowHeader: true,
      isWide: true,
      cell: ({ compute_id, url }) => (
        <>
          <span className="font-medium wrap-anywhere">{compute_id}</span>
          {url && <span className="ml-3 text-ink-soft wrap-anywhere">{url}</span>}
        </>
      ),
    },
    { id: 'state', header: 'State', cell: (listener) => <State {...listener} /> },
    {
      id: 'heard',
      header: 'Last heard of',
      from: 'sm',
      cell: ({ last_heard_at }) =>
        last_heard_at ? <Time at={last_heard_at} /> : <span className="text-ink-faint">Never</span>,
    },
    {
      id: 'runs',
      header: 'Runs there',
      from: 'md',
      cell: (listener) => <Running deployments={deployments && runningAt(listener, deployments)} />,
    },
    {
      id: 'namespaces',
      header: 'Namespaces',
      from: 'lg',
      cell: ({ compute_config: { k8s_namespaces } }) => k8s_namespaces?.join(', ') ?? 'Any',
    },
    {
      id: 'created',
      header: 'Created',
      from: 'lg',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
  if (!begin) return columns
  return [
    ...columns,
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (listener) => <Actions listener={listener} begin={begin} />,
    },
  ]
}

function Actions({ listener, begin }: { listener: Listener; begin: (doing: Doing) => void }) {
  const trigger = (
    <IconButton label={`Actions for ${listener.compute_id}`} icon={<Ellipsis size={16} />} />
  )
  return (
    <Menu trigger={trigger}>
      <MenuItem onAction={() => begin({ what: 'new-key', listener })}>Make another key</MenuItem>
      <MenuItem onAction={() => begin({ what: 'revoke-key', listener })}>Revoke its key</MenuItem>
      <MenuLine />
      <MenuItem isDanger onAction={() => begin({ what: 'delete', listener })}>
        Delete
      </MenuItem>
    </Menu>
  )
}

function State({ state }: Listener) {
  const { word, tone } = STATES[state]
  return <Status tone={tone}>{word}</Status>
}

function Running({ deployments }: { deployments: readonly Deployment[] | undefined }) {
  if (!deployments) return <span className="text-ink-faint">…</span>
  if (deployments.length === 0) return <span className="text-ink-faint">Nothing</span>
  return deployments.map(({ id, name }, at) => (
    <Fragment key={id}>
      {at > 0 && ', '}
      <TextLink to={pagesOf(id).overview}>{name}</TextLink>
    </Fragment>
  ))
}

function runningAt({ id }: Listener, deployments: readonly Deployment[] = []): Deployment[] {
  return deployments.filter(({ source_config }) => source_config.listener_id === id)
}
