/** What may happen to a simulated deployment between two looks. */
import { IDLE, type Running, type SimulatedDeployment } from './simulated-deployment.ts'

/** `n` chooses among what it can happen to. */
type Happen = (world: SimulatedDeployment, n: number) => void

export const HAPPENINGS = {
  'looked at': () => {},
  deployed: (world) => {
    if (world.status !== 'AWAITING_DELETE') world.deploy(null)
  },
  interrupted: (world, n) => {
    const one = pick(world.line, n)
    if (one) world.interrupt(one.id)
  },
  'rolled back': (world) => {
    const previous = world.previous()
    if (!previous || world.status === 'AWAITING_DELETE') return
    for (const { id } of world.line) world.interrupt(id)
    world.deploy(previous.id)
  },
  deleted: (world, n) => {
    // Seldom: nothing can happen to it any more.
    if (n % 8 === 0) world.status = 'AWAITING_DELETE'
  },
  built: (world, n) => {
    const id = pick([...world.building], n)
    if (id === undefined) return
    world.building.delete(id)
    world.get(id).isBuilt = true
  },
  'not built': (world, n) => {
    const id = pick([...world.building], n)
    if (id === undefined) return
    world.building.delete(id)
    world.buildFailures.set(id, 'install: no')
  },
  'build lost': (world, n) => {
    const revision = pick(world.revisions, n)
    if (revision) revision.isBuilt = false
  },
  'build unreadable': (world, n) => {
    const revision = pick(world.revisions, n)
    if (revision) world.unreadable.add(revision.id)
  },
  'builds readable': (world) => world.unreadable.clear(),
  'no room to build': (world) => {
    world.hasRoom = false
  },
  'room to build': (world) => {
    world.hasRoom = true
  },
  healthy: onRunning((world, one) => world.become(one, 'healthy')),
  died: onRunning((world, one) => {
    if (one.replicas.some(({ state }) => state === 'healthy')) world.become(one, 'restarting')
  }),
  failed: onRunning((world, one) => world.become(one, 'failed')),
  ended: (world) => world.endRetiring(),
  busy: onRunning((_, one) => report(one, { ...IDLE, running: 4, waiting: 3 })),
  calm: onRunning((_, one) => report(one, IDLE)),
  'due soon': onRunning((world, one) => report(one, { ...IDLE, next_due_at: world.now + 500_000 })),
  asked: (world) => {
    // A gateway that does not know the name has nobody wait.
    if (world.target.kind === 'unknown') return
    world.activity = { open: world.activity.open + 1, last_at: world.now }
    world.ask()
  },
  answered: (world) => {
    const { open } = world.activity
    if (open > 0) world.activity = { open: open - 1, last_at: world.now }
  },
  'asked and left': (world) => world.ask(),
  'time passes': (world, n) => {
    world.now += pick([1, 900, 30_000, 60_000, 150_000, 400_000], n) ?? 0
  },
  restarted: (world) => world.restart(),
  'gateway emptied': (world) => {
    world.target = { kind: 'unknown' }
    world.activity = { open: 0, last_at: world.now }
  },
  'record not written': (world) => {
    world.isRecordWritten = false
  },
  'parked threads': (world) => {
    world.areThreadsParked = true
  },
} satisfies Record<string, Happen>

export type Happening = keyof typeof HAPPENINGS

function onRunning(happen: (world: SimulatedDeployment, one: Running) => void): Happen {
  return (world, n) => {
    const one = pick([...world.running.values()], n)
    if (one) happen(world, one)
  }
}

function report(one: Running, load: typeof IDLE): void {
  one.replicas = one.replicas.map((replica) => ({ ...replica, load }))
}

function pick<T>(among: readonly T[], n: number): T | undefined {
  return among[n % among.length]
}
