import { Button } from '../../design/button.tsx'
import { Square } from '../../design/icon.gen.tsx'
import { useStudio } from '../studio-context.tsx'
import { useAction } from '../use-action.ts'

/** Stops the run in progress. */
export function StopButton() {
  const { stop, activeRun } = useStudio()
  const { mutate: end, isPending } = useAction(stop, 'The run was not stopped')
  return (
    <Button
      icon={<Square size={12} />}
      onPress={() => end()}
      isPending={isPending}
      isDisabled={!activeRun}
    >
      Stop
    </Button>
  )
}
