import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { answerOf } from './answer.ts'

const CatSchema = z.object({ name: z.string(), age: z.int() })

it('has what the schema names, and reads nothing else', () => {
  const cat = {
    name: 'Tom',
    age: 3,
    get secret(): string {
      throw new Error('read')
    },
  }
  expect(answerOf(CatSchema, cat)).toEqual({ name: 'Tom', age: 3 })
})

it('takes a member that is given in place of the stored one', () => {
  expect(answerOf(CatSchema, { name: 'Tom' }, { age: 4 })).toEqual({ name: 'Tom', age: 4 })
})
