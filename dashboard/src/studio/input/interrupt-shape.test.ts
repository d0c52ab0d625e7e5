import { describe, expect, test } from 'vitest'
import { addressed, choicesOf, resumeOf, shapeOfInterrupt, YES_NO } from './interrupt-shape.ts'

describe("an interrupt of LangChain's human in the loop", () => {
  const value = {
    action_requests: [{ name: 'send', args: { to: 'ann' }, description: 'Sends a letter' }],
    review_configs: [{ action_name: 'send', allowed_decisions: ['approve', 'edit'] }],
  }
  const shape = shapeOfInterrupt(value)

  test('offers the decisions that it allows', () =>
    expect(shape).toMatchObject({
      kind: 'actions',
      requests: [{ name: 'send', args: { to: 'ann' }, allowed: ['approve', 'edit'] }],
    }))

  test('is answered in the spelling of both languages', () => {
    if (shape.kind !== 'actions') throw new Error('not actions')
    const action = { name: 'send', args: { to: 'bob' } }
    expect(resumeOf(shape, [{ type: 'edit', ...action }])).toEqual({
      decisions: [{ type: 'edit', edited_action: action, editedAction: action }],
    })
  })

  test('in the spelling of TypeScript offers the same', () => {
    const spelt = {
      actionRequests: value.action_requests,
      reviewConfigs: [{ actionName: 'send', allowedDecisions: ['approve', 'edit'] }],
    }
    expect(shapeOfInterrupt(spelt)).toEqual(shape)
  })
})

test('an interrupt of the Agent Inbox is answered with a list', () => {
  const shape = shapeOfInterrupt({
    action_request: { action: 'send', args: { to: 'ann' } },
    config: { allow_accept: true, allow_ignore: true, allow_edit: false, allow_respond: true },
  })
  if (shape.kind !== 'actions') throw new Error('not actions')
  expect(shape.requests[0]?.allowed).toEqual(['approve', 'respond', 'reject'])
  expect(resumeOf(shape, [{ type: 'respond', message: 'No' }])).toEqual([
    { type: 'response', args: 'No' },
  ])
})

test.each([
  ['Shall I?', { kind: 'plain', question: 'Shall I?', value: undefined }],
  [{ question: 'Shall I?' }, { kind: 'plain', question: 'Shall I?', value: undefined }],
  [{ text: 1 }, { kind: 'plain', value: { text: 1 } }],
])('%j is a plain question', (value, shape) => expect(shapeOfInterrupt(value)).toEqual(shape))

test.each([
  [{ type: 'boolean' }, { choices: YES_NO }],
  [{ default: true }, { choices: YES_NO, preset: true }],
  [
    { choices: ['a', 2] },
    {
      choices: [
        { label: 'a', value: 'a' },
        { label: '2', value: 2 },
      ],
    },
  ],
  [{ options: [{ name: 'A', value: 1 }] }, { choices: [{ label: 'A', value: 1 }] }],
  [{ type: 'urgent', bed: 3 }, { value: { type: 'urgent', bed: 3 } }],
])('the fields %j of a question name its answers', (fields, shape) =>
  expect(shapeOfInterrupt({ question: 'Shall I?', ...fields })).toEqual({
    kind: 'plain',
    question: 'Shall I?',
    value: undefined,
    ...shape,
  }),
)

test.each([
  [{ question: 'Shall I?', message: 'The long story' }, { message: 'The long story' }],
  [{ question: 'Shall I?', options: { a: 1 } }, { options: { a: 1 } }],
  [{ message: 'Shall I?', choices: ['a'], options: ['b'] }, { options: ['b'] }],
  [{ question: 'Shall I?', choices: [] }, { choices: [] }],
])('the fields of %j that are neither question nor choices are shown', (value, rest) =>
  expect(shapeOfInterrupt(value)).toMatchObject({ question: 'Shall I?', value: rest }),
)

test('more than eight choices are shown, and are no buttons', () => {
  const choices = Array.from({ length: 9 }, (_, index) => index)
  const shape = { kind: 'plain', question: 'Which?', value: { choices } }
  expect(shapeOfInterrupt({ question: 'Which?', choices })).toEqual(shape)
  expect(choicesOf({ enum: choices })).toBeUndefined()
  expect(choicesOf({ enum: choices }, 9)).toHaveLength(9)
  expect(choicesOf({ oneOf: choices.map((one) => ({ const: one })) })).toBeUndefined()
  expect(choicesOf({ enum: choices.slice(1) })).toHaveLength(8)
})

test.each([[['a', 'b']], ['SELECT 1'], [7]])('arguments %j are shown, and not edited', (args) => {
  const requests = { kind: 'actions', requests: [{ args, allowed: ['approve', 'reject'] }] }
  expect(shapeOfInterrupt({ action_requests: [{ name: 'a', args }] })).toMatchObject(requests)
  const config = { allow_accept: true, allow_edit: true, allow_ignore: true }
  const inbox = { action_request: { action: 'a', args }, config }
  expect(shapeOfInterrupt(inbox)).toMatchObject(requests)
})

test.each([
  [
    { enum: ['a', 1] },
    [
      { label: 'a', value: 'a' },
      { label: '1', value: 1 },
    ],
  ],
  [{ type: 'boolean' }, YES_NO],
  [{ oneOf: [{ const: 1, title: 'One' }] }, [{ label: 'One', value: 1 }]],
  [{ properties: { ok: { enum: ['a'] } } }, [{ label: 'a', value: { ok: 'a' } }]],
  [{ properties: { ok: { type: 'boolean' }, why: { type: 'string' } } }, undefined],
  [{ type: 'string' }, undefined],
  [undefined, undefined],
])('the schema %j allows the choices %j', (schema, choices) =>
  expect(choicesOf(schema)).toEqual(choices),
)

describe('the fields of an action', () => {
  const schemaOf = (args: unknown, args_schema?: object) => {
    const value = { action_requests: [{ name: 'a', args }], review_configs: [{ args_schema }] }
    const shape = shapeOfInterrupt(value)
    return shape.kind === 'actions' ? shape.requests[0]?.schema : undefined
  }

  test('follow from its arguments', () =>
    expect(schemaOf({ to: 'ann', text: 'a\nb', n: 1, all: true, tags: ['x'], at: null })).toEqual({
      type: 'object',
      properties: {
        to: { type: 'string' },
        text: { type: 'string', format: 'textarea' },
        n: { type: 'number' },
        all: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        at: {},
      },
    }))

  test('are those of a schema, if there is one', () => {
    const schema = { type: 'object', properties: { to: { enum: ['ann', 'bob'] } } }
    expect(schemaOf({ to: 'ann' }, schema)).toEqual(schema)
  })
})

describe('an interrupt that needs consent', () => {
  const value = {
    message: 'Give access to github.',
    auth_url: 'https://runyard.example/v2/auth/setup/1',
    provider: 'github',
    scopes: ['read:user', 'repo'],
  }

  test('says where it is given, and to what', () =>
    expect(shapeOfInterrupt(value)).toEqual({
      kind: 'consent',
      url: value.auth_url,
      isLink: true,
      question: 'Give access to github.',
      provider: 'github',
      scopes: ['read:user', 'repo'],
      rest: undefined,
    }))

  test('may say only where', () =>
    expect(shapeOfInterrupt({ authUrl: 'http://127.0.0.1/setup', account: 7 })).toEqual({
      kind: 'consent',
      url: 'http://127.0.0.1/setup',
      isLink: true,
      scopes: [],
      rest: { account: 7 },
    }))

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'data:text/html,x',
    '/setup',
    '//x',
    'x',
  ])('makes no link of %j', (auth_url) =>
    expect(shapeOfInterrupt({ ...value, auth_url })).toMatchObject({
      kind: 'consent',
      url: auth_url,
      isLink: false,
    }),
  )

  test.each([
    { url: 'https://x.example', question: 'Shall I read this page?' },
    { message: 'Choose an account.', provider: 'github', scopes: [] },
    { auth_url: 7 },
  ])('is none: %j', (other) => expect(shapeOfInterrupt(other).kind).toBe('plain'))

  test('is told by a plain url beside a provider, with its scopes in one text', () =>
    expect(
      shapeOfInterrupt({ url: 'https://x.example', provider: 'x', scopes: 'read write' }),
    ).toMatchObject({ kind: 'consent', url: 'https://x.example', scopes: ['read', 'write'] }))
})

describe('an answer', () => {
  const id = 'd6de4ddf5c3b8b5fd7a3b7ab6e1a7b8a'

  test('goes by itself', () => expect(addressed('yes', id)).toBe('yes'))

  test.each([false, 0, '', null])('that is %j names its question', (answer) =>
    expect(addressed(answer, id)).toEqual({ [id]: answer }),
  )
})
