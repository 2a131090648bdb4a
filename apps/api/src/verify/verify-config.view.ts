import type { VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import { OTP_CHANNELS, STOP_EVENTS } from '@signalbox/domain/verify/otp-flow';
import { readLists } from './verify-config-flow.ts';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, NUMBER, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';

export const VerifyConfigView = model(
  'VerifyConfig',
  'A configuration of one-time passwords, without the codes of its test numbers.',
  {
    id: ID,
    name: TEXT,
    enabled: FLAG,
    channel: oneOf(OTP_CHANNELS, 'Channel of the first step.'),
    flow: Type.Array(Type.Object({ channel: oneOf(OTP_CHANNELS), afterSeconds: COUNT })),
    stopOn: oneOf(STOP_EVENTS),
    template: nullable(Type.Object({ name: TEXT, language: nullable(TEXT), from: NUMBER })),
    codeLength: COUNT,
    alphabet: TEXT,
    ttlSeconds: COUNT,
    maxAttempts: COUNT,
    resendAfterSeconds: COUNT,
    maxSendsPer10Minutes: COUNT,
    maxSendsPerDay: COUNT,
    sender: nullable(TEXT),
    text: TEXT,
    webOtpDomain: nullable(TEXT),
    androidHash: nullable(TEXT),
    testNumbers: Type.Array(Type.Object({ number: NUMBER, until: TIME })),
    createdAt: TIME,
    updatedAt: TIME,
  },
);
export type VerifyConfigView = Static<typeof VerifyConfigView>;

export function verifyConfigView(
  config: Omit<VerificationConfig, 'accountId' | 'deletedAt'>,
): VerifyConfigView {
  const { flow, testNumbers } = readLists(config);
  return show(VerifyConfigView, {
    ...config,
    flow,
    channel: flow[0]!.channel,
    testNumbers: testNumbers.map(({ number, until }) => ({ number, until })),
  });
}
