import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { Empty } from '../design/empty.tsx'
import { SearchField } from '../design/field.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { pageOf } from '../shell/row-pages.ts'
import { AllRows, type OfServer, Pages, serverColumns } from '../shell/servers-page.tsx'
import { pathText } from './namespaces.ts'
import { type Item, itemsQuery, PAGE_SIZE } from './queries.ts'

interface ItemsProps {
  servers: readonly AgentServer[]
  path: readonly string[]
  about: string | undefined
  page: number
  onAbout: (about: string) => void
  onPage: (page: number) => void
  onOpen: (item: OfServer<Item>) => void
  onGo: (path: readonly string[]) => void
}

export function Items(props: ItemsProps) {
  const { servers, path, about, page } = props
  const { ask, of } = pageOf(servers, page, PAGE_SIZE)
  return (
    <div className="min-w-0 space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Trail path={path} onGo={props.onGo} />
        <Search key={pathText(path)} about={about ?? ''} onAbout={props.onAbout} />
      </div>
      <AllRows
        servers={servers}
        query={(server) => itemsQuery(server, { path, meaning: about, ask })}
        what="the items"
      >
        {(found) => {
          // Sorting is stable: without scores the rows stay in the order of the servers.
          const all = found.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
          const { rows, hasMore } = of(all)
          return <Found {...props} items={rows} hasMore={hasMore} />
        }}
      </AllRows>
    </div>
  )
}

/** The path of the namespace; each label links to its namespace. */
function Trail({ path, onGo }: Pick<ItemsProps, 'path' | 'onGo'>) {
  return (
    <p className="flex flex-wrap items-center gap-1 font-mono text-sm">
      <button type="button" className="text-accent hover:underline" onClick={() => onGo([])}>
        store
      </button>
      {path.map((label, depth) => {
        const here = path.slice(0, depth + 1)
        return (
          <span key={pathText(here)} className="flex items-center gap-1">
            <span className="text-ink-faint">/</span>
            <button
              type="button"
              className="text-accent hover:underline"
              onClick={() => onGo(here)}
            >
              {label}
            </button>
          </span>
        )
      })}
    </p>
  )
}

/** Searches on Enter, or when cleared: each search costs the embedding model a call. */
function Search({ about, onAbout }: { about: string; onAbout: (about: string) => void }) {
  const [text, setText] = useState(about)
  return (
    <form
      className="w-full sm:w-72"
      onSubmit={(event) => {
        event.preventDefault()
        onAbout(text.trim())
      }}
    >
      <SearchField
        label="Search"
        placeholder="Search by key, value or meaning"
        value={text}
        onChange={(next) => {
          setText(next)
          if (next === '') onAbout('')
        }}
      />
    </form>
  )
}

function Found(props: ItemsProps & { items: OfServer<Item>[]; hasMore: boolean }) {
  const { about, page, hasMore } = props
  const hasScores = props.items.some(({ score }) => score !== undefined)
  // Without an index the store returns all items, so the page's items are searched as text.
  const shown =
    about && !hasScores ? props.items.filter((item) => contains(item, about)) : props.items
  return (
    <>
      {about && (
        <p className="text-sm text-ink-soft">
          {hasScores
            ? `Sorted by similarity to “${about}”.`
            : `Items of this page that contain “${about}”: this store has no index to search by meaning.`}
        </p>
      )}
      <Table
        label="Items"
        columns={columnsOf(props, hasScores)}
        rows={shown}
        keyOf={({ server, namespace, key }) => `${server.key}/${pathText(namespace)}/${key}`}
        empty={<Nothing about={about} path={props.path} />}
      />
      <Pages page={page} hasMore={hasMore} onPage={props.onPage} />
    </>
  )
}

function columnsOf(
  { servers, onOpen }: ItemsProps,
  hasScores: boolean,
): readonly Column<OfServer<Item>>[] {
  return [
    {
      id: 'key',
      header: 'Key',
      isRowHeader: true,
      cell: (item) => (
        <button
          type="button"
          className="text-left font-mono text-sm font-medium hover:underline"
          onClick={() => onOpen(item)}
        >
          {item.key}
        </button>
      ),
    },
    ...serverColumns<Item>(servers, { from: 'sm' }),
    {
      id: 'namespace',
      header: 'Namespace',
      from: 'lg',
      cell: ({ namespace }) => (
        <span className="font-mono text-sm whitespace-nowrap text-ink-soft">
          {namespace.join(' / ')}
        </span>
      ),
    },
    {
      id: 'value',
      header: 'Value',
      isWide: true,
      cell: ({ value }) => (
        <span className="font-mono text-sm text-ink-soft">{JSON.stringify(value)}</span>
      ),
    },
    ...(hasScores ? [SCORE] : []),
    { id: 'when', header: 'Changed', from: 'sm', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ]
}

const SCORE: Column<OfServer<Item>> = {
  id: 'score',
  header: 'Score',
  align: 'right',
  cell: ({ score }) => score?.toFixed(3) ?? '–',
}

function contains(item: Item, text: string): boolean {
  const all = `${pathText(item.namespace)} ${item.key} ${JSON.stringify(item.value)}`
  return all.toLowerCase().includes(text.toLowerCase())
}

function Nothing({ about, path }: { about: string | undefined; path: readonly string[] }) {
  if (about) return <Empty title="No items found">Try other words, or another namespace.</Empty>
  return (
    <Empty title={path.length > 0 ? 'No items below this namespace' : 'The store is empty'}>
      Graphs and clients store data here that outlives a thread: a graph with{' '}
      <code>runtime.store.put</code>, a client with <code>client.store.putItem</code>.
    </Empty>
  )
}
