/** One item: view, edit as JSON, delete. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { Actions, Dialog } from '../design/dialog.tsx'
import { Empty } from '../design/empty.tsx'
import { ErrorNote } from '../design/error-note.tsx'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { Trash2 } from '../design/icon.gen.tsx'
import { JsonEditor } from '../design/json/editor.tsx'
import { jsonObject } from '../design/json/object.ts'
import { Facts } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { Talks } from '../shell/talks.tsx'
import { type Item, itemQuery, useStoreAction } from './queries.ts'

interface ItemDialogProps {
  server: AgentServer
  path: readonly string[]
  itemKey: string
  onClose: () => void
}

export function ItemDialog(props: ItemDialogProps) {
  const { server, path, itemKey } = props
  const query = useQuery(itemQuery(server, path, itemKey))
  // This state is here because the part below is rendered anew when the item changes, which would close the question.
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Dialog title={itemKey} size="wide" isOpen onClose={props.onClose}>
      <QueryView query={query} what="the item">
        {(item) =>
          item ? (
            <>
              <Open
                key={item.updatedAt}
                {...props}
                item={item}
                onDelete={() => setDeleting(true)}
              />
              <DeleteQuestion
                {...props}
                item={item}
                isOpen={isDeleting}
                onLeave={() => setDeleting(false)}
              />
            </>
          ) : (
            <Empty title="This item no longer exists" />
          )
        }
      </QueryView>
    </Dialog>
  )
}

interface OpenProps extends ItemDialogProps {
  item: Item
  onDelete: () => void
}

function Open({ server, path, itemKey, item, onDelete }: OpenProps) {
  const [text, setText] = useState(() => JSON.stringify(item.value, null, 2))
  const action = useStoreAction(server)
  const value = jsonObject(text)
  const isChanged = value !== undefined && JSON.stringify(value) !== JSON.stringify(item.value)
  const save = () => {
    if (!value) return
    action.mutate(() => server.client.store.putItem([...path], itemKey, value), {
      onSuccess: () =>
        toast('Saved.', {
          undo: () =>
            action.mutate(() => server.client.store.putItem([...path], itemKey, item.value)),
        }),
    })
  }
  return (
    <>
      <Facts
        facts={[
          ['Namespace', <code key="n">{path.join(' / ')}</code>],
          ['Changed', <Time key="c" at={item.updatedAt} />],
          ['Created', <Time key="m" at={item.createdAt} />],
        ]}
      />
      <div className="mt-4">
        <JsonEditor label="Value" text={text} onChange={setText} />
      </div>
      {action.error && (
        <div className="mt-3">
          <ErrorNote error={action.error} title="It could not be changed." />
        </div>
      )}
      <Talks>
        <Actions>
          <Button kind="danger" icon={<Trash2 size={14} />} onPress={onDelete}>
            Delete
          </Button>
          <Button
            kind="primary"
            isDisabled={!isChanged}
            isPending={action.isPending}
            onPress={save}
          >
            Save
          </Button>
        </Actions>
      </Talks>
    </>
  )
}

interface DeleteQuestionProps extends ItemDialogProps {
  item: Item
  isOpen: boolean
  onLeave: () => void
}

function DeleteQuestion(props: DeleteQuestionProps) {
  const { server, path, itemKey, item, isOpen, onLeave, onClose } = props
  const action = useStoreAction(server)
  const remove = async () => {
    await action.mutateAsync(() => server.client.store.deleteItem([...path], itemKey))
    onClose()
    toast('Deleted.', {
      undo: () => action.mutate(() => server.client.store.putItem([...path], itemKey, item.value)),
    })
  }
  return (
    <ConfirmDialog
      title="Delete the item?"
      verb="Delete"
      isOpen={isOpen}
      onClose={onLeave}
      onConfirm={remove}
    >
      <p>
        Graphs no longer find <code>{itemKey}</code>.
      </p>
    </ConfirmDialog>
  )
}
