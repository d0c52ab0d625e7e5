/** Actions on deployments and revisions: they run at once, show a toast, and can be undone. */
import { dataOf } from '@runyard/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { controlPlane } from '../api/control-plane.ts'
import { toast, toastError } from '../design/toast.tsx'

const { api } = controlPlane

interface Action<Input, Output> {
  deployment_id: string
  act: (input: Input) => Promise<Output>
  /** The text of the toast. */
  said: (input: Input, output: Output) => string
  undo?: (input: Input, output: Output) => (() => void) | undefined
}

/** Runs the action, shows a toast, and reloads all data of deployments. */
export function useAction<Output, Input = void>(action: Action<Input, Output>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: action.act,
    onSuccess: (output, input) => {
      const undo = action.undo?.(input, output)
      toast(action.said(input, output), { ...(undo && { undo }) })
    },
    onError: toastError,
    // Not awaited: the action itself is done.
    onSettled: () => void queries.invalidateQueries({ queryKey: ['deployments'] }),
  })
}

interface NumberedRevision {
  id: string
  number: number
}

/** `serving`: the revision that undo returns to. */
export function useRollback(deployment_id: string, serving: NumberedRevision | undefined) {
  const go = (revision_id: string) =>
    dataOf(
      api.POST('/v2/deployments/{deployment_id}/rollback', {
        params: { path: { deployment_id } },
        body: { revision_id },
      }),
    )
  const going = {
    deployment_id,
    act: ({ id }: NumberedRevision) => go(id),
    said: ({ number }: NumberedRevision, made: NumberedRevision) =>
      `Going back to #${number}, as #${made.number}, with its configuration and secrets.`,
  }
  const back = useAction(going)
  return useAction({
    ...going,
    undo: () => (serving ? () => back.mutate(serving) : undefined),
  })
}

export function useRedeploy(deployment_id: string) {
  return useAction({
    deployment_id,
    act: ({ id: revision_id }: NumberedRevision) =>
      dataOf(
        api.POST('/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy', {
          params: { path: { deployment_id, revision_id } },
        }),
      ),
    said: ({ number }) => `Deploying #${number} again.`,
  })
}

export function useInterrupt(deployment_id: string) {
  return useAction({
    deployment_id,
    act: ({ id: revision_id }: NumberedRevision) =>
      api.POST('/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt', {
        params: { path: { deployment_id, revision_id } },
      }),
    said: ({ number }) => `#${number} is interrupted.`,
  })
}
