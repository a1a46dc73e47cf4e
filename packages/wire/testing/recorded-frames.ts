/** Frames as real peers sent them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface RecordedFrame {
  readonly name: string
  readonly channel: 'ctrl' | 'link' | 'edge'
  readonly from: 'controller' | 'router' | 'sdk'
  readonly contentType: number
  readonly sequence: number
  readonly replyFor?: number
  readonly headers: readonly { readonly id: number; readonly type: string; readonly value: unknown }[]
  readonly body: string
  readonly bodyJson?: unknown
  readonly frame: string
}

const folder = join(import.meta.dirname, '../../../testdata/wire')

export function recordedFrames(...files: readonly string[]): readonly RecordedFrame[] {
  return files.flatMap((file) => JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8')) as RecordedFrame[])
}
