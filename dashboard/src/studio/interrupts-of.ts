/** The interrupts of a thread's state. */
import type { Interrupt, ThreadState } from '@langchain/langgraph-sdk'

/** The open interrupts of the state's tasks, each once. */
export function interruptsOf(state: ThreadState | undefined): Interrupt[] {
  const all = (state?.tasks ?? []).flatMap(({ interrupts }) => interrupts)
  return all.filter(({ id }, at) => !id || all.findIndex((one) => one.id === id) === at)
}
