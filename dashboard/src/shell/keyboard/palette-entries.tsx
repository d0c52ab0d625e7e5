/** The entries of the palette. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { agentServer, atAGlance } from '../../api/agent-server.tsx'
import { pagesOf } from '../../api/deployment-pages.ts'
import { deploymentsQuery, isAwake } from '../../api/deployments.ts'
import { MODE } from '../../api/mode.ts'
import { useMay, useSession } from '../../api/session.ts'
import { chooseWorkspace } from '../../api/workspace.ts'
import { Bot, Boxes, CircleHelp, LogOut, Monitor, Moon, Plus, Sun } from '../../design/icon.gen.tsx'
import { useSignOut } from '../me-menu.tsx'
import { PLACES } from '../places.tsx'
import { chooseTheme } from '../theme.ts'
import type { Entry, Section } from './entry.ts'
import { useFoundById } from './found-by-id.tsx'

/** Most deployments that are asked for their assistants. */
const ASKED = 8

/** `typed`: the searched text. */
export function useEntries(onHelp: () => void, typed: string) {
  const navigate = useNavigate()
  const go = (to: string) => void navigate({ to })
  const places = PLACES[MODE].map(({ to, label, icon, jump }) => ({
    id: to,
    label,
    icon,
    keys: `g ${jump}`,
    run: () => go(to),
  }))
  const deployments = useDeployments()
  const byId = useFoundById(typed, go)
  const sections: Section[] = [
    { title: 'Found by its id', entries: byId.entries },
    { title: 'Places', entries: places },
    {
      title: 'Deployments',
      entries: deployments.map(({ id, name }) => ({
        id,
        label: name,
        detail: 'Deployment',
        icon: <Boxes size={16} />,
        run: () => go(pagesOf(id).overview),
      })),
    },
    { title: 'Assistants', entries: useAssistants(deployments, go) },
    { title: 'Actions', entries: useActions(go, onHelp) },
  ]
  return { sections, nothing: byId.nothing }
}

interface Named {
  id: string
  name: string
}

function useDeployments(): (Named & { isServing: boolean })[] {
  const { data = [] } = useQuery({
    ...deploymentsQuery(),
    enabled: MODE === 'control-plane',
    refetchInterval: false,
    staleTime: 30_000,
  })
  return data.map(({ id, name, active_revision_id }) => ({
    id,
    name,
    isServing: active_revision_id !== null,
  }))
}

/** Does not wake a sleeping deployment. */
function useAssistants(
  deployments: (Named & { isServing: boolean })[],
  go: (to: string) => void,
): Entry[] {
  const asked = deployments.filter(({ isServing }) => isServing).slice(0, ASKED)
  const servers = MODE === 'control-plane' ? asked : [undefined]
  const found = useQueries({
    queries: servers.map((deployment) => ({
      queryKey: ['palette', 'assistants', deployment?.id ?? 'here'],
      queryFn: async () => {
        if (deployment && !(await isAwake(deployment.id))) return []
        return atAGlance(agentServer(deployment)).client.assistants.search({ limit: 50 })
      },
      staleTime: 60_000,
      retry: false,
    })),
  })
  return servers.flatMap((deployment, at) =>
    (found[at]?.data ?? []).map(({ assistant_id, name, graph_id }) => ({
      id: assistant_id + (deployment?.id ?? ''),
      label: name || graph_id,
      detail: deployment ? `Studio · ${deployment.name}` : 'Studio',
      icon: <Bot size={16} />,
      run: () => go(agentServer(deployment).pages.studio(assistant_id)),
    })),
  )
}

function useActions(go: (to: string) => void, onHelp: () => void): Entry[] {
  const session = useSession()
  const mayWrite = useMay('write')
  const leave = useSignOut()
  const others = (session?.workspaces ?? []).filter(({ id }) => id !== session?.workspace_id)
  return [
    ...(mayWrite && MODE === 'control-plane' ? [newDeployment(go)] : []),
    ...others.map(({ id, name }) => ({
      id: `workspace-${id}`,
      label: `Switch to ${name}`,
      detail: 'Workspace',
      icon: <Boxes size={16} />,
      run: () => chooseWorkspace(id),
    })),
    theme('light', 'Light theme', <Sun size={16} />),
    theme('dark', 'Dark theme', <Moon size={16} />),
    theme('system', "The system's theme", <Monitor size={16} />),
    { id: 'help', label: 'Keys', icon: <CircleHelp size={16} />, keys: '?', run: onHelp },
    { id: 'leave', label: 'Sign out', icon: <LogOut size={16} />, run: () => void leave() },
  ]
}

function newDeployment(go: (to: string) => void): Entry {
  const run = () => go('/deployments/new')
  return { id: 'new', label: 'New deployment', icon: <Plus size={16} />, run }
}

function theme(value: 'light' | 'dark' | 'system', label: string, icon: ReactNode): Entry {
  return { id: `theme-${value}`, label, icon, run: () => chooseTheme(value) }
}
