/**
 * Open invitations, found by their token and used up.
 *
 * Whoever enrolls asks twice: before the work that the enrollment needs, so that a useless token costs nothing, and inside
 * the transaction that uses it up, so that one token enrolls one time, however many ask at once.
 */
import { ApiError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import { isUuid } from '../resource-kit/shapes.ts'
import type { EnrollmentMethod } from '../resources/enrollment-issuing.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'

type Enrollment = TableRows['enrollments']

/** The open enrollment of a token; refuses tokens that are unknown, of another method or out of time. */
export function openEnrollment(view: View, method: EnrollmentMethod, token: string, now: string): Enrollment {
  const enrollment = isUuid(token) ? findOne(view, 'enrollments', 'token', token) : undefined
  if (enrollment === undefined) throw new ApiError('INVALID_ENROLLMENT_TOKEN')
  if (enrollment.method !== method) throw new ApiError('INVALID_ENROLL_METHOD')
  if (enrollment.expiresAt === null || enrollment.expiresAt <= now) throw new ApiError('ENROLLMENT_EXPIRED')
  return enrollment
}

/** Takes an enrollment out of the open ones, in the transaction of what it enrolls. */
export function useEnrollment(change: Change, method: EnrollmentMethod, token: string): Enrollment {
  const enrollment = openEnrollment(change.view, method, token, change.now)
  change.remove('enrollments', enrollment.id)
  return enrollment
}

/** The identity that an enrollment is for. */
export function identityOf({ identityId }: Enrollment): string {
  if (identityId === null) throw new ApiError('INVALID_ENROLLMENT_TOKEN')
  return identityId
}
