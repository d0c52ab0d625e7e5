import { beforeEach, describe, expect, it } from 'vitest'
import { forEachTest } from '../../../test/support/running.ts'
import { AppError } from '../../core/errors.ts'
import { createSecretBox } from '../control-plane/secret-box.ts'
import { openDb } from '../open-db.ts'
import { table } from './table.ts'

interface Cat {
  id: string
  name: string
  is_fed: boolean | null
  toys: string[] | null
  secret: { nap: string } | null
  born_at: number
  colour?: string
}

const CATS = table<Cat>('cats', 'id, name, is_fed, toys, secret, born_at', {
  json: ['toys', 'secret'],
  booleans: ['is_fed'],
  numbers: ['born_at'],
  sealed: { secret: (id) => `cat/${id}` },
  fixed: ['born_at'],
  unread: ['colour'],
})
const GET = `SELECT ${CATS.columns} FROM cats WHERE id = $1`
const tom: Cat = {
  ...{ id: '1', name: 'Tom', is_fed: false, toys: ['ball'], secret: { nap: 'noon' } },
  born_at: 7,
}

const db = forEachTest(() => openDb(':memory:', 'public'))
beforeEach(async () => {
  await db.script(`CREATE TABLE cats (id TEXT PRIMARY KEY, name TEXT, is_fed INTEGER, toys TEXT,
    secret TEXT, born_at INTEGER, colour TEXT) STRICT`)
})

describe('a table', () => {
  const box = createSecretBox(Buffer.alloc(32, 1))

  it('reads what it has written, and NULL as null', async () => {
    const cats = CATS.on(db, box)
    const none = { ...tom, id: '2', is_fed: null, toys: null, secret: null }
    await cats.insert(tom)
    await cats.insert({ ...none, colour: 'grey' })
    expect(await cats.get(GET, ['1'])).toEqual(tom)
    expect(await cats.get(GET, ['2'])).toEqual(none)
    expect(await db.get('SELECT colour FROM cats WHERE id = $1', ['2'])).toMatchObject({
      colour: 'grey',
    })
  })

  it('says whether a conflict kept a row out', async () => {
    const cats = CATS.on(db, box)
    expect(await cats.insert(tom, 'ON CONFLICT (id) DO NOTHING')).toBe(true)
    expect(await cats.insert(tom, 'ON CONFLICT (id) DO NOTHING')).toBe(false)
  })

  it('replaces what may change of a row that is there', async () => {
    const cats = CATS.on(db, box)
    await cats.insert(tom)
    const later = { ...tom, name: 'Thomas', secret: null, born_at: 8 }
    await cats.put(later, 'id')
    expect(await cats.get(GET, ['1'])).toEqual({ ...later, born_at: 7 })
  })

  it('keeps JSON of any kind', async () => {
    const DOGS = table<{ tag: string; note: unknown }>('dogs', 'tag, note', {
      key: 'tag',
      json: ['note'],
    })
    await db.script('CREATE TABLE dogs (tag TEXT PRIMARY KEY, note TEXT) STRICT')
    const dogs = DOGS.on(db)
    const notes = ['text', 7, false, null, { a: [1] }]
    for (const [index, note] of notes.entries()) await dogs.insert({ tag: `${index}`, note })
    await dogs.update('1', { note: 'seven' })
    const found = await dogs.all(`SELECT ${DOGS.columns} FROM dogs ORDER BY tag`)
    expect(found.map(({ note }) => note)).toEqual(['text', 'seven', false, null, { a: [1] }])
  })

  it('changes what an update names, but no fixed column', async () => {
    const cats = CATS.on(db, box)
    await cats.insert(tom)
    const patch = { id: '9', name: 'Thomas', secret: null, born_at: 8 }
    await cats.update('1', patch)
    await cats.update('2', patch)
    expect(await cats.get(GET, ['1'])).toEqual({ ...tom, name: 'Thomas', secret: null })
  })

  it('opens a sealed value when it is used, and only then', async () => {
    await CATS.on(db, box).insert(tom)
    const cat = await CATS.on(db, createSecretBox(Buffer.alloc(32, 2))).get(GET, ['1'])
    expect(cat?.name).toBe('Tom')
    expect(() => cat?.secret).toThrow(AppError)
    const stored = await db.get<{ secret: string }>('SELECT secret FROM cats')
    expect(stored?.secret).not.toContain('noon')
  })
})
