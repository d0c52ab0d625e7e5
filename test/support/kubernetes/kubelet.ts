/** A tiny kubelet: the containers of pods are processes of this machine, each pod at a loopback address of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readLines } from '../../../src/process/output-lines.ts'
import { endTogether } from '../processes/end-together.ts'
import type { KubernetesObject } from './schema.ts'
import type { ObjectStore } from './store.ts'

interface Probe {
  httpGet: { path: string; port: string }
}

interface Container {
  name: string
  image: string
  args?: string[]
  env?: {
    name: string
    value?: string
    valueFrom?: { secretKeyRef: { name: string; key: string } }
  }[]
  ports?: { name: string; containerPort: number }[]
  volumeMounts?: { name: string; mountPath: string }[]
  readinessProbe?: Probe
  terminationMessagePath?: string
}

interface PodSpec {
  /** Those of Jobs have `Never`. */
  restartPolicy?: string
  initContainers?: Container[]
  containers: Container[]
  volumes?: { name: string; secret?: { secretName: string } }[]
}

interface LogLine {
  time: string
  line: string
}

/** One start of a container. */
interface Instance {
  lines: LogLine[]
  isOver: boolean
  listeners: Set<(line: LogLine | undefined) => void>
}

type Status = Record<string, unknown>

interface Machine {
  store: ObjectStore
  images: Record<string, readonly [string, ...string[]]>
}

const SAID_FILE = '/dev/termination-log'
const SECRET_LOOK_MS = 20
/** Before a container that ended is started again, in ms; the first time at once, as the real one does. */
const BACKOFF_MS = [0, 100, 200, 400]
const PROBE_MS = 25
/** How often in a row a probe may fail. */
const FAILURES = 40
/** Pods all listen at the same port: those of another process beside this one have other addresses. */
const NETWORK = `127.${1 + ((process.pid >> 8) % 254)}.${process.pid & 255}`
const MOST_ADDRESSES = 254
let latest = 0

export class Kubelet {
  readonly #store: ObjectStore
  /** By image: what is run in its place. */
  readonly #images: Record<string, readonly [string, ...string[]]>
  readonly #pods = new Map<string, RunningPod>()

  constructor(store: ObjectStore, images: Record<string, readonly [string, ...string[]]>) {
    this.#store = store
    this.#images = images
  }

  take(pod: KubernetesObject): void {
    const running = new RunningPod(pod, { store: this.#store, images: this.#images })
    this.#pods.set(pod.metadata.name, running)
    void running.run()
  }

  /** Asks its containers to end, kills them after the grace, and takes the pod away. */
  async end(name: string, graceSeconds: number): Promise<void> {
    const pod = this.#pods.get(name)
    await pod?.end(graceSeconds)
    if (this.#pods.get(name) === pod) this.#pods.delete(name)
  }

  instances(pod: string, container: string): Instance[] {
    return this.#pods.get(pod)?.instances(container) ?? []
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#pods.keys()].map((name) => this.end(name, 0)))
  }
}

class RunningPod {
  readonly #name: string
  readonly #namespace: string
  readonly #spec: PodSpec
  readonly #parts: Machine
  readonly #dir = mkdtempSync(join(tmpdir(), 'pod-'))
  readonly #ip: string
  readonly #instances = new Map<string, Instance[]>()
  readonly #statuses = new Map<string, Status>()
  readonly #children = new Set<ChildProcess>()
  readonly #ending = new AbortController()
  #done: Promise<unknown> = Promise.resolve()
  #isReady = false
  #phase = 'Running'

  constructor(pod: KubernetesObject, parts: Machine) {
    this.#name = pod.metadata.name
    this.#namespace = pod.metadata.namespace ?? ''
    this.#spec = pod.spec as unknown as PodSpec
    this.#parts = parts
    latest += 1
    this.#ip = `${NETWORK}.${1 + (latest % MOST_ADDRESSES)}`
  }

  instances(container: string): Instance[] {
    return this.#instances.get(container) ?? []
  }

  async run(): Promise<void> {
    this.#done = this.#runAll().catch(() => {})
    await this.#done
  }

  async end(graceSeconds: number): Promise<void> {
    this.#ending.abort()
    for (const child of this.#children) child.kill('SIGTERM')
    const timer = setTimeout(
      () => {
        for (const child of this.#children) child.kill('SIGKILL')
      },
      Math.min(graceSeconds * 1000, 60_000),
    )
    await this.#done
    clearTimeout(timer)
    rmSync(this.#dir, { recursive: true, force: true })
    const pod = this.#parts.store.get('Pod', this.#namespace, this.#name)
    if (pod) this.#parts.store.delete(pod)
  }

  async #runAll(): Promise<void> {
    for (const container of this.#spec.initContainers ?? []) {
      while ((await this.#runOnce(container, true)) !== 0) {
        this.#ending.signal.throwIfAborted()
        await delay(100, undefined, { signal: this.#ending.signal })
      }
    }
    await this.#secretsThere()
    if (this.#spec.restartPolicy !== 'Never') {
      await Promise.all(this.#spec.containers.map((one) => this.#keepRunning(one)))
      return
    }
    const codes = await Promise.all(this.#spec.containers.map((one) => this.#runOnce(one, false)))
    const [last] = this.#spec.containers
    if (last) this.#report(last, {}, codes.every((code) => code === 0) ? 'Succeeded' : 'Failed')
  }

  /** No container begins before what it mounts is there. */
  async #secretsThere(): Promise<void> {
    const wanted = (this.#spec.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? [])
    const isMissing = (name: string) => !this.#parts.store.get('Secret', this.#namespace, name)
    while (wanted.some(isMissing)) {
      await delay(SECRET_LOOK_MS, undefined, { signal: this.#ending.signal })
    }
  }

  async #keepRunning(container: Container): Promise<void> {
    for (let restarts = 0; !this.#ending.signal.aborted; restarts++) {
      const wait = BACKOFF_MS[Math.min(restarts, BACKOFF_MS.length) - 1] ?? (restarts ? 400 : 0)
      if (wait > 0) {
        const lastState = this.#statuses.get(container.name)?.lastState
        const waiting = {
          reason: 'CrashLoopBackOff',
          message: 'back-off restarting failed container',
        }
        this.#report(container, { state: { waiting }, lastState, restartCount: restarts - 1 })
        await delay(wait, undefined, { signal: this.#ending.signal })
      }
      await this.#runOnce(container, false, restarts)
    }
  }

  async #runOnce(container: Container, isInit: boolean, restarts = 0): Promise<number | null> {
    const argv = this.#parts.images[container.image]
    if (!argv) return this.#cannotPull(container)
    const containerID = `stand-in://${randomUUID()}`
    const instance: Instance = { lines: [], isOver: false, listeners: new Set() }
    this.#instances.set(container.name, [...this.instances(container.name), instance])
    const [file, ...before] = argv
    const args = (container.args ?? []).map((one) => this.#inside(one))
    const options = { cwd: this.#dir, env: this.#environment(container) }
    const child = spawn(file, [...before, ...args], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    endTogether(child, 'SIGKILL')
    const take = (line: string) => {
      const entry = { time: new Date().toISOString(), line }
      instance.lines.push(entry)
      for (const listener of instance.listeners) listener(entry)
    }
    readLines(child.stdout, take)
    readLines(child.stderr, take)
    const last = this.#statuses.get(container.name)?.lastState
    const running = { startedAt: new Date().toISOString() }
    const lastState = last ? { lastState: last } : {}
    this.#report(container, {
      state: { running },
      ...lastState,
      containerID,
      restartCount: restarts,
    })
    const over = new AbortController()
    const probing = isInit ? undefined : this.#probe(container, over.signal)
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.on('close', (...end) => resolve(end))
    })
    over.abort()
    await probing
    this.#children.delete(child)
    instance.isOver = true
    for (const listener of instance.listeners) listener(undefined)
    const exitCode = code ?? (signal === 'SIGKILL' ? 137 : 143)
    const terminated = {
      ...{ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', containerID },
      ...(container.terminationMessagePath && { message: this.#said() }),
    }
    this.#isReady = false
    this.#report(container, {
      ...{
        state: { terminated },
        containerID,
        restartCount: restarts,
        ready: isInit && exitCode === 0,
      },
    })
    const status = this.#statuses.get(container.name)
    if (status) status.lastState = { terminated }
    return exitCode
  }

  async #cannotPull(container: Container): Promise<number> {
    const message = `Back-off pulling image "${container.image}": ErrImagePull: not found`
    this.#report(container, {
      state: { waiting: { reason: 'ErrImagePull', message: 'not found' } },
    })
    await delay(20, undefined, { signal: this.#ending.signal })
    this.#report(container, { state: { waiting: { reason: 'ImagePullBackOff', message } } })
    await delay(60_000, undefined, { signal: this.#ending.signal })
    return 1
  }

  async #probe(container: Container, signal: AbortSignal): Promise<void> {
    const { httpGet } = container.readinessProbe ?? {}
    for (let failures = 0; !signal.aborted; ) {
      const port = container.ports?.find(({ name }) => name === httpGet?.port)?.containerPort
      const isReady = !httpGet || (await isWell(`http://${this.#ip}:${port}${httpGet.path}`))
      if (signal.aborted) return
      failures = isReady ? 0 : failures + 1
      // What has died is told of by its end, as with a real one, which asks every few seconds.
      if (isReady !== this.#isReady && (isReady || failures > FAILURES)) {
        this.#isReady = isReady
        this.#report(container, { ready: isReady })
      }
      await delay(PROBE_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** What the container has written of its end. */
  #said(): string {
    const path = this.#inside(SAID_FILE)
    return existsSync(path) ? readFileSync(path, 'utf8').slice(0, 4096) : ''
  }

  #environment({ env = [] }: Container): Record<string, string> {
    const given = env.map(({ name, value, valueFrom }) => {
      const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {}
      const data = this.#parts.store.get('Secret', this.#namespace, secret)?.data?.[key] ?? ''
      return [name, this.#inside(value ?? Buffer.from(data, 'base64').toString())]
    })
    return { PATH: process.env.PATH ?? '', ...Object.fromEntries(given) }
  }

  /** A path in the container as one of this machine, and its interfaces as its address. */
  #inside(text: string): string {
    if (text === '0.0.0.0') return this.#ip
    if (text === SAID_FILE) return join(this.#dir, 'said')
    const mount = ['/run/runyard', '/project', '/tmp'].find((path) => text.startsWith(path))
    if (!mount) return text
    const dir = join(this.#dir, mount.replaceAll('/', '_'))
    mkdirSync(dir, { recursive: true })
    if (mount === '/run/runyard') this.#writeSecret(dir)
    return join(dir, text.slice(mount.length))
  }

  /** As it is now: each start of a container finds the latest. */
  #writeSecret(dir: string): void {
    const volume = this.#spec.volumes?.find(({ secret }) => secret)
    const secret = this.#parts.store.get(
      'Secret',
      this.#namespace,
      volume?.secret?.secretName ?? '',
    )
    for (const [key, value] of Object.entries(secret?.data ?? {})) {
      writeFileSync(join(dir, key), Buffer.from(value, 'base64'))
    }
  }

  #report({ name, image }: Container, status: Status, phase = this.#phase): void {
    this.#phase = phase
    const before = this.#statuses.get(name) ?? {
      name,
      image,
      imageID: image,
      ready: false,
      restartCount: 0,
    }
    const isGone = status.state !== undefined && !('running' in (status.state as object))
    this.#statuses.set(name, { ...before, ...(isGone && { ready: false }), ...status })
    const pod = this.#parts.store.get('Pod', this.#namespace, this.#name)
    if (!pod) return
    const of = (list: Container[]): Status[] =>
      list.map(({ name }) => this.#statuses.get(name)).filter((one) => one !== undefined)
    const isReady =
      of(this.#spec.containers).length > 0 &&
      of(this.#spec.containers).every((one) => one.ready === true)
    const conditions = [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: isReady && !this.#ending.signal.aborted ? 'True' : 'False' },
    ]
    this.#parts.store.put({
      ...pod,
      status: {
        ...{ phase, podIP: this.#ip, conditions },
        containerStatuses: of(this.#spec.containers),
        initContainerStatuses: of(this.#spec.initContainers ?? []),
      },
    })
  }
}

function isWell(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 5000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
