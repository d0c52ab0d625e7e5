/** What an agent server tells of a run, as `openapi/agent-server.json` describes it. Times in ms since 1970. */
import type { RunStatus } from '../api/states.ts'

export interface Timeline {
  run_id: string
  thread_id: string
  assistant_id: string
  status: RunStatus
  attempt: number
  error: { error: string; message: string } | null
  created_at: number
  due_at: number
  started_at: number | null
  ended_at: number | null
  attempts: Attempt[]
  spans: Span[]
  checkpoints: Checkpoint[]
}

export interface Attempt {
  token: number
  attempt: number
  server_id: string | null
  pid: number | null
  revision_id: string | null
  started_at: number | null
  ended_at: number | null
  outcome: 'running' | 'success' | 'error' | 'interrupted' | 'timeout' | 'handed_over' | 'lost'
  left_out: number
}

export interface Span {
  span_id: string
  token: number
  kind: 'node' | 'model' | 'tool'
  name: string
  namespace: string[]
  step: number | null
  started_at: number
  ended_at: number | null
  status: 'running' | 'success' | 'error' | 'interrupted' | 'left'
  error?: { error: string; message: string; stack?: string }
  model?: string
  first_token_at?: number
  input_tokens?: number
  output_tokens?: number
  tool_call_id?: string
  input?: string
  output?: string
  interrupts?: string
}

export interface Checkpoint {
  checkpoint_id: string
  checkpoint_ns: string
  parent_checkpoint_id: string | null
  step: number | null
  source: string | null
  created_at: number | null
}

export interface Delivery {
  delivery_id: string
  url: string
  status: 'pending' | 'delivered' | 'failed'
  created_at: string
  attempt: number
  response_status: number | null
  error: string | null
}
