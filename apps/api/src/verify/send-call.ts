import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { PolicySettings } from '@signalbox/database/verify/policies';
import type { VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import type { FirstVerification } from '@signalbox/database/verify/verifications';
import type { ApiError } from '../errors/api-error.ts';
import type { KeyedCall } from '../http/idempotency.ts';

export const VERIFY_PATH = '/v1/verify';

/** One call of POST /v1/verify. */
export interface SendCall {
  id: string;
  caller: KeyHolder;
  configId: string;
  recipient: string;
  country: string;
  idempotency: KeyedCall | null;
}

/** The outcome of a call: stored under its id, refused, or recognized as the repeat of an earlier call. */
export type SendOutcome =
  | { result: 'stored' }
  | { result: 'refused'; error: ApiError }
  | { result: 'repeated'; first: FirstVerification };

/** A call that names a configuration of its account. */
export interface Candidate {
  call: SendCall;
  config: VerificationConfig;
  policy: PolicySettings;
  /** The recipient is a test number: the code is free of charge, and no limit applies. */
  isTest: boolean;
}
