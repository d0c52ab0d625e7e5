/** The stores: namespaces on the left, the items of the chosen one on the right. */
import { z } from 'zod'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { AllRows, ServersPage } from '../shell/servers-page.tsx'
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
  /** The open item, its namespace, and the id of its deployment. */
  item: addressText,
  in: addressText,
  of: addressText,
  /** The form for a new item is open. */
  new: z.literal(true).optional().catch(undefined),
})

export function StorePage() {
  const [, change] = useAddress(storeSearch)
  return (
    <ServersPage
      title="Store"
      actions={
        <Talks>
          <Button kind="primary" icon={<Plus size={14} />} onPress={() => change({ new: true })}>
            New item
          </Button>
        </Talks>
      }
    >
      {(servers) => <Browser servers={servers} />}
    </ServersPage>
  )
}

function Browser({ servers }: { servers: readonly AgentServer[] }) {
  const [search, change] = useAddress(storeSearch)
  const path = pathOf(search.namespace)
  const go = (to: readonly string[]) =>
    change({ namespace: pathText(to) || undefined, page: 0, about: undefined })
  const of = search.of === undefined ? servers[0] : servers.find(({ key }) => key === search.of)
  return (
    <div className="grid items-start gap-5 md:grid-cols-[15rem_minmax(0,1fr)]">
      <AllRows servers={servers} query={namespacesQuery} what="the namespaces">
        {(namespaces) => (
          <NamespaceTree
            branches={treeOf(namespaces.map(({ labels }) => labels))}
            path={path}
            onChoose={go}
          />
        )}
      </AllRows>
      <Items
        servers={servers}
        path={path}
        about={search.about}
        page={search.page}
        onAbout={(about) => change({ about: about || undefined, page: 0 }, { replace: true })}
        onPage={(page) => change({ page })}
        onOpen={({ key, namespace, server }) =>
          change({ item: key, in: pathText(namespace), of: server.deploymentId })
        }
        onGo={go}
      />
      {of && search.item !== undefined && search.in !== undefined && (
        <ItemDialog
          server={of}
          path={pathOf(search.in)}
          itemKey={search.item}
          onClose={() => change({ item: undefined, in: undefined, of: undefined })}
        />
      )}
      {search.new && (
        <Talks>
          <NewItemDialog servers={servers} path={path} onClose={() => change({ new: undefined })} />
        </Talks>
      )}
    </div>
  )
}
