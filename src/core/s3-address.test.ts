import { expect, it } from 'vitest'
import { parseS3Address } from './s3-address.ts'

const parse = (text: string) => parseS3Address(text, { region: 'us-east-1' })

it('is a bucket and a prefix of Amazon’s', () => {
  expect(parse('s3://my-bucket/a/b?region=eu-west-1')).toEqual({
    bucket: 'my-bucket',
    prefix: 'a/b/',
    endpoint: undefined,
    region: 'eu-west-1',
    isPathStyle: false,
  })
  expect(parse('s3://my-bucket')).toMatchObject({ prefix: '', region: 'us-east-1' })
})

it('is one of another store, whose bucket stands in the path unless it says otherwise', () => {
  const own = parse('s3://b-1/?endpoint=http://minio:9000/')
  expect(own).toMatchObject({ endpoint: 'http://minio:9000', isPathStyle: true, prefix: '' })
  expect(parse('s3://b-1?endpoint=https://e.example&path_style=0').isPathStyle).toBe(false)
})

it.each([
  ['https://bucket.example.com', 's3://bucket/prefix'],
  ['s3://', 's3://bucket/prefix'],
  ['s3://B_d', 's3://bucket/prefix'],
  ['s3://key:secret@bucket', 'AWS_ACCESS_KEY_ID'],
  ['s3://bucket/a//b', 'prefix'],
  ['s3://bucket/..%2fb', 'prefix'],
  ['s3://bucket?endpoint=minio:9000', 'endpoint'],
  ['s3://bucket?path_style=yes', 'path_style'],
  ['s3://bucket?secret=a', 'secret'],
])('is not %s', (text, part) => {
  expect(() => parse(text)).toThrow(part)
})
