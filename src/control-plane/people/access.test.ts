import { expect, it } from 'vitest'
import { nameOf, operationsOf, readDocument } from '../../../test/contract/document.ts'
import { ACCESS } from './access.ts'

it('decides for every operation of the document who may call it, and for no other', () => {
  const operations = operationsOf(readDocument('control-plane')).map(nameOf)
  expect(Object.keys(ACCESS).toSorted()).toEqual(operations.toSorted())
})

it('asks for a key wherever the document says so', () => {
  const open = operationsOf(readDocument('control-plane')).filter(
    ({ operation }) => operation.security?.length === 0,
  )
  // A listener's key is no principal's: its operations ask for it themselves.
  const needless = Object.keys(ACCESS).filter(
    (operation) => ACCESS[operation] === 'open' && !operation.includes(' /internal/listener/'),
  )
  expect(needless.toSorted()).toEqual(open.map(nameOf).toSorted())
})
