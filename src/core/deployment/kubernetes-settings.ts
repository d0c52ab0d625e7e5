/** What the operator says of the cluster that agent servers run in. */

/** What `resource_spec` may ask for only where the operator allows it. */
export const ALLOWANCES = [
  'any_user',
  'csi',
  'host_path',
  'nfs',
  'projected',
  'service_account',
] as const
export type Allowance = (typeof ALLOWANCES)[number]

/** Who sets the number of pods: Runyard, or a HorizontalPodAutoscaler between the limits of `resource_spec`. */
export const SCALINGS = ['own', 'hpa'] as const

export interface KubernetesSettings {
  /** A kubeconfig's path; `undefined`: the cluster that this process runs in, by its service account. */
  kubeconfig: string | undefined
  /** Where pods run. `{workspace_id}` in it gives each workspace a namespace of its own. */
  namespace: string
  /** Runyard's own image, for what is built to a folder. */
  image: string
  /** What tells the objects of this Runyard from those of others in the cluster; a label's value. */
  installation: string
  allow: readonly Allowance[]
  scaling: (typeof SCALINGS)[number]
  /**
   * Whose connections reach agent servers beside those of the control plane's pods, as CIDRs. A control
   * plane outside of the cluster has to be among them; where it is and none is named, anybody reaches them.
   */
  ingressFrom: readonly string[]
}
