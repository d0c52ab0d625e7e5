import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { SearchField } from '../design/field.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { pathText } from './namespaces.ts'
import { type Item, itemsQuery, PAGE_SIZE } from './queries.ts'

interface ItemsProps {
  server: AgentServer
  path: readonly string[]
  about: string | undefined
  page: number
  onAbout: (about: string) => void
  onPage: (page: number) => void
  onOpen: (item: Item) => void
  onGo: (path: readonly string[]) => void
}

export function Items(props: ItemsProps) {
  const { server, path, about, page } = props
  const query = useQuery(itemsQuery(server, { path, meaning: about, page }))
  return (
    <div className="min-w-0 space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Trail path={path} onGo={props.onGo} />
        <Search key={pathText(path)} about={about ?? ''} onAbout={props.onAbout} />
      </div>
      <QueryView query={query} what="the items">
        {(found) => (
          <Found {...props} items={found.slice(0, PAGE_SIZE)} hasMore={found.length > PAGE_SIZE} />
        )}
      </QueryView>
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

function Found(props: ItemsProps & { items: Item[]; hasMore: boolean }) {
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
            ? `The nearest in meaning to “${about}” first.`
            : `Items of this page that contain “${about}”: this store has no index to search by meaning.`}
        </p>
      )}
      <Table
        label="Items"
        columns={columnsOf(hasScores, props.onOpen)}
        rows={shown}
        keyOf={(item) => `${pathText(item.namespace)}/${item.key}`}
        empty={<Nothing about={about} path={props.path} />}
      />
      {(page > 0 || hasMore) && (
        <nav aria-label="Pages" className="flex justify-end gap-2">
          <Button size="sm" isDisabled={page === 0} onPress={() => props.onPage(page - 1)}>
            Before
          </Button>
          <Button size="sm" isDisabled={!hasMore} onPress={() => props.onPage(page + 1)}>
            Next
          </Button>
        </nav>
      )}
    </>
  )
}

function columnsOf(hasScores: boolean, onOpen: (item: Item) => void): readonly Column<Item>[] {
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

const SCORE: Column<Item> = {
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
  if (about) return <Empty title="Nothing was found">Try other words, or a namespace above.</Empty>
  return (
    <Empty title={path.length > 0 ? 'No items below this namespace' : 'The store is empty'}>
      Graphs and clients keep here what they remember beyond threads: in a graph with{' '}
      <code>runtime.store.put</code>, from outside with <code>client.store.putItem</code>.
    </Empty>
  )
}
