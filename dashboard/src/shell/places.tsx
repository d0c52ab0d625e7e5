/** The places in the rail and the palette, for either mode of this page. */
import type { ReactNode } from 'react'
import type { Mode } from '../api/mode.ts'
import {
  Boxes,
  Cable,
  Clock,
  Database,
  Gauge,
  House,
  MessagesSquare,
  Play,
  Settings,
  Webhook,
} from '../design/icon.gen.tsx'

export interface Place {
  to: string
  label: string
  icon: ReactNode
  /** The key to press after `g`. */
  jump: string
}

export const PLACES: Record<Mode, readonly Place[]> = {
  'control-plane': [
    { to: '/', label: 'Home', icon: <House size={16} />, jump: 'h' },
    { to: '/deployments', label: 'Deployments', icon: <Boxes size={16} />, jump: 'd' },
    { to: '/threads', label: 'Threads', icon: <MessagesSquare size={16} />, jump: 't' },
    { to: '/runs', label: 'Runs', icon: <Play size={16} />, jump: 'r' },
    { to: '/crons', label: 'Crons', icon: <Clock size={16} />, jump: 'c' },
    { to: '/webhooks', label: 'Webhooks', icon: <Webhook size={16} />, jump: 'w' },
    { to: '/store', label: 'Store', icon: <Database size={16} />, jump: 's' },
    { to: '/connections', label: 'Connections', icon: <Cable size={16} />, jump: 'n' },
    { to: '/operations', label: 'Operations', icon: <Gauge size={16} />, jump: 'o' },
    { to: '/settings', label: 'Settings', icon: <Settings size={16} />, jump: ',' },
  ],
  'agent-server': [
    { to: '/', label: 'Studio', icon: <House size={16} />, jump: 'h' },
    { to: '/threads', label: 'Threads', icon: <MessagesSquare size={16} />, jump: 't' },
    { to: '/runs', label: 'Runs', icon: <Play size={16} />, jump: 'r' },
    { to: '/crons', label: 'Crons', icon: <Clock size={16} />, jump: 'c' },
    { to: '/store', label: 'Store', icon: <Database size={16} />, jump: 's' },
  ],
}
