import { useMutation } from '@tanstack/react-query'
import { reasonOf } from '../design/error-note.tsx'
import { toast } from '../design/toast.tsx'
import { useStudio } from './studio-context.tsx'

/** An action that a button starts. `failed` precedes the reason if it is refused. */
export function useAction<Given = void>(act: (given: Given) => Promise<void>, failed: string) {
  return useMutation({
    mutationFn: act,
    onError: (error) => toast(`${failed}: ${reasonOf(error)}`, { tone: 'bad' }),
  })
}

/** Starts a run without an input, from the checkpoint or else from the thread's current state. */
export function useGoOn(checkpoint?: string) {
  const { submit } = useStudio()
  const go = () => submit({ input: null }, checkpoint ? { checkpoint } : {})
  return useAction(go, 'The run was not begun')
}
