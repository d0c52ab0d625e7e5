/** The store: namespaces on the left, the items of the chosen one on the right. */
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { QueryView } from '../design/query-view.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { ServerPage } from '../shell/server-choice.tsx'
import { Talks } from '../shell/talks.tsx'
import { ItemDialog } from './item-dialog.tsx'
import { Items } from './items.tsx'
import { NamespaceTree } from './namespace-tree.tsx'
import { pathOf, pathText, treeOf } from './namespaces.ts'
import { NewItemDialog } from './new-item-dialog.tsx'
import { namespacesQuery } from './queries.ts'

export const storeSearch = z.object({
  /** The labels of the namespace, joined by periods; absent: all. */
  namespace: addressText,
  /** The text to search for. */
  about: addressText,
  page: z.coerce.number().int().min(0).default(0).catch(0),
  /** The open item, and its namespace. */
  item: addressText,
  in: addressText,
  /** The form for a new item is open. */
  new: z.literal(true).optional().catch(undefined),
})

export function StorePage() {
  const [, change] = useAddress(storeSearch)
  return (
    <ServerPage
      title="Store"
      actions={() => (
        <Talks>
          <Button kind="primary" icon={<Plus size={14} />} onPress={() => change({ new: true })}>
            New item
          </Button>
        </Talks>
      )}
    >
      {(server) => <Browser server={server} />}
    </ServerPage>
  )
}

function Browser({ server }: { server: AgentServer }) {
  const [search, change] = useAddress(storeSearch)
  const query = useQuery(namespacesQuery(server))
  const path = pathOf(search.namespace)
  const go = (to: readonly string[]) =>
    change({ namespace: pathText(to) || undefined, page: 0, about: undefined })
  return (
    <div className="grid items-start gap-5 md:grid-cols-[15rem_minmax(0,1fr)]">
      <QueryView query={query} what="the namespaces">
        {(namespaces) => <NamespaceTree branches={treeOf(namespaces)} path={path} onChoose={go} />}
      </QueryView>
      <Items
        server={server}
        path={path}
        about={search.about}
        page={search.page}
        onAbout={(about) => change({ about: about || undefined, page: 0 }, { replace: true })}
        onPage={(page) => change({ page })}
        onOpen={(item) => change({ item: item.key, in: pathText(item.namespace) })}
        onGo={go}
      />
      {search.item !== undefined && search.in !== undefined && (
        <ItemDialog
          server={server}
          path={pathOf(search.in)}
          itemKey={search.item}
          onClose={() => change({ item: undefined, in: undefined })}
        />
      )}
      {search.new && (
        <Talks>
          <NewItemDialog server={server} path={path} onClose={() => change({ new: undefined })} />
        </Talks>
      )}
    </div>
  )
}
