import { useParams } from '@tanstack/react-router'

/** The deployment whose page this is. */
export function useDeploymentId(): string {
  const { deployment } = useParams({ strict: false }) as { deployment: string }
  return deployment
}
