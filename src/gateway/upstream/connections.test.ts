import { describe, expect, it } from 'vitest'
import { Connections, type Cuttable } from './connections.ts'

const NOBODY = 'http://127.0.0.1:1'

describe('the open requests of a server', () => {
  it('are those that have entered and not left, whoever leaves first', () => {
    const connections = new Connections(NOBODY, 1000, () => {})
    const [first, second, third] = [request(), request(), request()]
    for (const one of [first, second, third]) connections.enter(one)
    connections.leave(first)
    expect(new Set(connections.open)).toEqual(new Set([second, third]))
    connections.leave(third)
    expect(connections.open).toEqual([second])
  })

  it('stay as they are when one leaves a second time', () => {
    const connections = new Connections(NOBODY, 1000, () => {})
    const [first, second] = [request(), request()]
    for (const one of [first, second]) connections.enter(one)
    connections.leave(first)
    connections.leave(first)
    expect(connections.open).toEqual([second])
  })

  it('are all cut, though each leaves when it is cut', () => {
    const connections = new Connections(NOBODY, 1000, () => {})
    const cut: Cuttable[] = []
    const all = Array.from({ length: 5 }, () =>
      request((one) => {
        cut.push(one)
        connections.leave(one)
      }),
    )
    for (const one of all) connections.enter(one)
    connections.cutAll()
    expect(cut).toEqual(all)
    expect(connections.open).toEqual([])
  })
})

function request(onCut: (one: Cuttable) => void = () => {}): Cuttable {
  const one: Cuttable = {
    place: -1,
    isResumable: false,
    cut: () => onCut(one),
    moveOn: () => onCut(one),
    giveUp: () => onCut(one),
  }
  return one
}
