/** In the Studio's head: the current assistant, links to others, and to their settings. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useAgentServer } from '../../api/agent-server.tsx'
import { assistantsQuery } from '../../api/assistants.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { ChevronDown, Plus, SlidersHorizontal } from '../../design/icon.gen.tsx'
import { Menu, MenuItem, MenuLine } from '../../design/menu.tsx'
import { useStudio } from '../studio-context.tsx'
import { AssistantDialog } from './assistant-dialog.tsx'
import { NEW, useAssistantSearch } from './search.ts'

export function AssistantMenu() {
  const server = useAgentServer()
  const { assistant } = useStudio()
  const mayTalk = useMay('talk')
  const { change } = useAssistantSearch()
  const navigate = useNavigate()
  const { data = [] } = useQuery(assistantsQuery(server))
  return (
    <>
      <Menu
        trigger={
          <Button kind="quiet">
            <span className="max-w-48 truncate text-lg font-semibold text-ink">
              {assistant.name}
            </span>
            <span className="text-xs text-ink-faint">v{assistant.version}</span>
            <ChevronDown size={14} aria-hidden="true" />
            <span className="sr-only">Choose an assistant</span>
          </Button>
        }
      >
        {data.map(({ assistant_id, name, graph_id }) => (
          <MenuItem
            key={assistant_id}
            onAction={() => void navigate({ to: server.pages.studio(assistant_id) })}
          >
            {name}
            {name !== graph_id && <span className="text-ink-faint">{graph_id}</span>}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem
          icon={<SlidersHorizontal size={14} aria-hidden="true" />}
          onAction={() => change({ edit: assistant.assistant_id })}
        >
          Settings and versions of {assistant.name}
        </MenuItem>
        {mayTalk && (
          <MenuItem
            icon={<Plus size={14} aria-hidden="true" />}
            onAction={() => change({ edit: NEW })}
          >
            New assistant
          </MenuItem>
        )}
      </Menu>
      <AssistantDialog />
    </>
  )
}
