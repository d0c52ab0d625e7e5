import { expect, it } from 'vitest'
import { fillHeaders } from './webhooks.ts'

const template = (expression: string) => `$\{{ ${expression} }}`
const from = {
  prefix: 'LG_WEBHOOK_',
  env: { LG_WEBHOOK_TOKEN: 's3', LG_WEBHOOK_BAD: 'a\nb', K: 'x' },
}

it('takes values from the environment', () => {
  const headers = { Authorization: `Bearer ${template('env.LG_WEBHOOK_TOKEN')}`, 'X-App': 'mine' }
  expect(fillHeaders(headers, from)).toEqual({ authorization: 'Bearer s3', 'x-app': 'mine' })
})

it.each([
  ['a variable without the prefix', { a: template('env.K') }, 'begin with LG_WEBHOOK_'],
  [
    'a variable that is not set',
    { a: template('env.LG_WEBHOOK_X') },
    'LG_WEBHOOK_X, which is not set',
  ],
  ['another template', { a: template('secrets.K') }, 'not of the form'],
  ['a line break in a value', { a: template('env.LG_WEBHOOK_BAD') }, 'cannot carry'],
  ['a name with a space', { 'a b': 'x' }, 'not the name'],
  ['a header of the sender', { 'Webhook-Id': 'x' }, 'set by Runyard'],
  ['the host', { Host: 'x' }, 'set by Runyard'],
])('refuses %s', (_what, headers, message) => {
  expect(() => fillHeaders(headers, from)).toThrow(message)
})
