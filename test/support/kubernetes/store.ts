/** The objects of the stand-in, their versions, and who is told of changes. */
import { randomUUID } from 'node:crypto'
import { problemsOf } from './admission.ts'
import type { KubernetesObject } from './schema.ts'

export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: KubernetesObject
  version: number
}

/** A refusal as the API answers it. */
export class Refusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export class ObjectStore {
  readonly #objects = new Map<string, KubernetesObject>()
  readonly #changes: Change[] = []
  readonly #listeners = new Set<(change: Change) => void>()
  #version = 1

  get version(): number {
    return this.#version
  }

  all(kind: string): KubernetesObject[] {
    return [...this.#objects.values()].filter((one) => one.kind === kind)
  }

  everything(): KubernetesObject[] {
    return [...this.#objects.values()]
  }

  get(kind: string, namespace: string | undefined, name: string): KubernetesObject | undefined {
    return this.#objects.get(keyOf(kind, namespace, name))
  }

  since(version: number): Change[] {
    return this.#changes.filter((change) => change.version > version)
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Throws `Refusal` 422 for what Kubernetes does not take. Answers it as stored. */
  put(object: KubernetesObject): KubernetesObject {
    const { kind, metadata } = object
    const key = keyOf(kind, metadata.namespace, metadata.name)
    const before = this.#objects.get(key)
    const spec = object.spec ?? {}
    const isNewSpec = JSON.stringify(before?.spec) !== JSON.stringify(spec)
    const stored: KubernetesObject = {
      ...object,
      metadata: {
        ...metadata,
        uid: before?.metadata.uid ?? randomUUID(),
        creationTimestamp: before?.metadata.creationTimestamp ?? new Date().toISOString(),
        generation: (before?.metadata.generation ?? 0) + (isNewSpec ? 1 : 0),
        resourceVersion: '',
      },
    }
    const problems = problemsOf(stored, before)
    if (problems.length > 0) {
      throw new Refusal(422, `${kind} "${metadata.name}" is invalid: ${problems.join(', ')}`)
    }
    if (before && sameBut(before) === sameBut(stored)) return before
    return this.#write(key, stored, before ? 'MODIFIED' : 'ADDED')
  }

  /** What hangs on it goes too, as the garbage collector has it. */
  delete({ kind, metadata }: KubernetesObject): void {
    const key = keyOf(kind, metadata.namespace, metadata.name)
    const object = this.#objects.get(key)
    if (!object) return
    this.#objects.delete(key)
    this.#tell({ type: 'DELETED', object, version: ++this.#version })
  }

  #write(key: string, object: KubernetesObject, type: Change['type']): KubernetesObject {
    const version = ++this.#version
    object.metadata.resourceVersion = String(version)
    this.#objects.set(key, object)
    this.#tell({ type, object, version })
    return object
  }

  #tell(change: Change): void {
    this.#changes.push(change)
    for (const listener of [...this.#listeners]) listener(change)
  }
}

function sameBut(object: KubernetesObject): string {
  const { resourceVersion: _, ...metadata } = object.metadata
  return JSON.stringify({ ...object, metadata })
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`
}
