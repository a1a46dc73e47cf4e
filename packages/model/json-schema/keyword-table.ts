/**
 * The keywords in the order in which they report, which is the peers' order: what combines schemas, then what is
 * particular to the kind of value, then plain comparison, then what lies inside. Only the first violation is shown, so
 * the order is part of the answer.
 */
import { contains, items, maxItems, minItems, uniqueItems } from './array-keywords.ts'
import { allOf, anyOf, ifThenElse, not, oneOf } from './combining-keywords.ts'
import type { Kind } from './json-value.ts'
import { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } from './number-keywords.ts'
import {
  dependencies,
  describedMembers,
  maxProperties,
  minProperties,
  properties,
  propertyNames,
  required,
} from './object-keywords.ts'
import type { Check } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'
import { format, maxLength, minLength, pattern } from './string-keywords.ts'
import { constant, enumeration } from './value-keywords.ts'

/** A keyword: which kinds of value it judges, and how a schema's use of it becomes a check. */
export interface Keyword {
  readonly judges: Kind | 'everything'
  readonly compile: (reader: SchemaReader) => Check<never> | undefined
}

/** All keywords that judge values; `type` and `$ref` come before them. */
export const keywordTable: readonly Keyword[] = [
  { judges: 'everything', compile: anyOf },
  { judges: 'everything', compile: oneOf },
  { judges: 'everything', compile: allOf },
  { judges: 'everything', compile: not },
  { judges: 'object', compile: dependencies },
  { judges: 'everything', compile: ifThenElse },

  { judges: 'number', compile: multipleOf },
  { judges: 'number', compile: maximum },
  { judges: 'number', compile: exclusiveMaximum },
  { judges: 'number', compile: minimum },
  { judges: 'number', compile: exclusiveMinimum },

  { judges: 'array', compile: items },
  { judges: 'array', compile: minItems },
  { judges: 'array', compile: maxItems },
  { judges: 'array', compile: uniqueItems },
  { judges: 'array', compile: contains },

  { judges: 'object', compile: minProperties },
  { judges: 'object', compile: maxProperties },
  { judges: 'object', compile: required },
  { judges: 'object', compile: describedMembers },
  { judges: 'object', compile: propertyNames },

  { judges: 'everything', compile: constant },
  { judges: 'everything', compile: enumeration },

  { judges: 'string', compile: minLength },
  { judges: 'string', compile: maxLength },
  { judges: 'string', compile: pattern },
  { judges: 'string', compile: format },

  { judges: 'object', compile: properties },
]
