import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { reasonOf } from '../../design/error-note.tsx'
import { Square } from '../../design/icon.gen.tsx'
import { toast } from '../../design/toast.tsx'
import { useStudio } from '../studio-context.tsx'

/** Stops the run in progress. */
export function StopButton() {
  const { stop, activeRun } = useStudio()
  const [isPending, setPending] = useState(false)
  const end = async () => {
    setPending(true)
    try {
      await stop()
    } catch (error) {
      toast(`The run was not stopped: ${reasonOf(error)}`, { tone: 'bad' })
    } finally {
      setPending(false)
    }
  }
  return (
    <Button
      icon={<Square size={12} />}
      onPress={() => void end()}
      isPending={isPending}
      isDisabled={!activeRun}
    >
      Stop
    </Button>
  )
}
