/**
 * Bodies in which endpoints report their posture: one report, or a list of them. `typeId` says what else it holds.
 */
import { fieldError, refusal, unparsableBody } from '../../operation/api-error.ts'
import type { BodyContract } from '../../operation/operation.ts'
import type { PostureReport } from '../../posture/posture-report.ts'
import {
  flagShape,
  isObject,
  listShape,
  memberOf,
  objectShape,
  optional,
  required,
  type Shape,
  textShape,
  WrongTypeError,
} from '../../resource-kit/shapes.ts'

const NAME = 'postureResponse'
const MOST_REPORTS = 1_000

const id = required(textShape({ max: 256 }))
const typeId = required(textShape({ max: 64 }))
const word = (max: number) => textShape({ max })

/** What each kind holds; the rest of what an endpoint sends is not looked at. */
const shapes: Readonly<Record<PostureReport['typeId'], Shape<unknown>>> = {
  OS: objectShape({
    id,
    typeId,
    type: required(word(256)),
    version: required(word(256)),
    build: optional(word(256), ''),
  }),
  DOMAIN: objectShape({ id, typeId, domain: required(word(1_024)) }),
  MAC: objectShape({ id, typeId, macAddresses: required(listShape(word(64), { max: 256 })) }),
  PROCESS: objectShape({
    id,
    typeId,
    path: optional(word(4_096), ''),
    isRunning: optional(flagShape, false),
    hash: optional(word(1_024), ''),
    signerFingerprints: optional(listShape(word(256), { max: 64 }) as Shape<readonly string[] | null>, null),
  }),
  ENDPOINT_STATE: objectShape({ id, typeId, woken: optional(flagShape), unlocked: optional(flagShape) }),
}

const schema = {
  type: 'object',
  discriminator: 'typeId',
  properties: { id: { type: 'string' }, typeId: { type: 'string', enum: Object.keys(shapes) } },
  required: ['id', 'typeId'],
}

/** One report. */
export const reportContract: BodyContract = {
  name: NAME,
  isRequired: true,
  schema,
  decode: (json) => [refusingWrongTypes(() => readReport(json, ''))],
}

/** A list of reports: all are taken, or none. */
export const reportsContract: BodyContract = {
  name: NAME,
  isRequired: true,
  schema: { type: 'array', items: schema },
  decode: (json) => refusingWrongTypes(() => readReports(json)),
}

function readReports(json: unknown): readonly PostureReport[] {
  if (!Array.isArray(json)) throw new WrongTypeError('', 'an array', json)
  if (json.length > MOST_REPORTS) {
    throw fieldError(NAME, `${NAME} in body should have at most ${MOST_REPORTS} items`, json.length)
  }
  return json.map((item, at) => readReport(item ?? {}, String(at)))
}

function readReport(json: unknown, at: string): PostureReport {
  if (!isObject(json)) throw new WrongTypeError(at, 'an object', json)
  const kind = memberOf(json, 'typeId') ?? ''
  if (kind === '') throw fieldError('typeId', 'typeId in body is required')
  const shape =
    typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind as keyof typeof shapes] : undefined
  if (shape === undefined) {
    throw refusal('COULD_NOT_PARSE_BODY', `invalid typeId value: ${JSON.stringify(kind).slice(0, 64)}`)
  }
  const report = shape.read(json, '')
  checkIdFirst(report)
  shape.check(report, '', false)
  return report as PostureReport
}

/** The peers look at what all reports have before they look at what only some have. */
function checkIdFirst(report: unknown): void {
  if ((report as Partial<PostureReport>).id === undefined) throw fieldError('id', 'id in body is required', '<nil>')
}

function refusingWrongTypes<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof WrongTypeError) throw unparsableBody(NAME, error.message)
    throw error
  }
}
