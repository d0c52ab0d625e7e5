/** What a thread waits for, as its state tells. */
import type { Interrupt, ThreadState } from '@langchain/langgraph-sdk'

/** The open questions of the state's tasks, each once. */
export function interruptsOf(state: ThreadState | undefined): Interrupt[] {
  const all = (state?.tasks ?? []).flatMap(({ interrupts }) => interrupts)
  return all.filter(({ id }, at) => !id || all.findIndex((one) => one.id === id) === at)
}
