import type { ConfigSettings } from '@signalbox/database/verify/configs';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { type FlowStep, checkFlow, usesChannel } from '@signalbox/domain/verify/otp-flow';
import { checkOtpText } from '@signalbox/domain/verify/otp-text';
import { type Violation, violation } from '@signalbox/domain/violation';
import { DEFAULT_FLOW, type GivenFlow, type GivenTemplate, changedFlow } from './verify-config-flow.ts';
import { DEFAULTS } from './verify-config-settings.ts';

/** The settings that rules over several fields read. */
interface GivenConfig extends GivenFlow {
  sender?: string | undefined;
  template?: GivenTemplate | null | undefined;
  codeLength?: number | undefined;
  ttlSeconds?: number | undefined;
  text?: string | undefined;
  webOtpDomain?: string | null | undefined;
  androidHash?: string | null | undefined;
  testNumbers?: readonly { number: string }[] | undefined;
}

/**
 * Checks the text of a new configuration.
 *
 * @param given the fields that met their own rules; the others count as defaults
 */
export function checkNewText(given: GivenConfig): Violation[] {
  const { text = DEFAULTS.text, ttlSeconds = DEFAULTS.ttlSeconds, codeLength = DEFAULTS.codeLength } = given;
  const { webOtpDomain = null, androidHash = null } = given;
  return checkOtpText({ text, ttlSeconds, webOtpDomain, androidHash }, codeLength);
}

/**
 * Checks the rules that span several fields of a request, and need no stored setting.
 *
 * @param given the fields that met their own rules
 */
export function checkConfig(given: GivenConfig): Violation[] {
  return [...checkNotation(given), ...checkTestNumbers(given.testNumbers ?? [])];
}

const FLOW_FIELDS = ['flow', 'channel', 'fallback', 'ttlSeconds'] as const;

/** Checks the flow of a new configuration, unless one of its fields is invalid. */
export function checkNewFlow(request: GivenConfig, passed: GivenConfig): Violation[] {
  const isSound = FLOW_FIELDS.every((name) => request[name] === passed[name]);
  if (!isSound || (request.flow && request.fallback)) return [];
  const { sender, template, ttlSeconds = DEFAULTS.ttlSeconds } = request;
  const needs = { hasSender: sender !== undefined, hasTemplate: Boolean(template) };
  return checkFlowAndNeeds({ flow: changedFlow(DEFAULT_FLOW, request), ttlSeconds, ...needs }, request);
}

/** Checks the flow of a configuration after a change. */
export function checkStoredFlow(settings: ConfigSettings, change: GivenConfig): Violation[] {
  const { flow, ttlSeconds, sender, template } = settings;
  const needs = { hasSender: sender !== null, hasTemplate: template !== null };
  return checkFlowAndNeeds({ flow, ttlSeconds, ...needs }, change);
}

/** A flow, and the presence of what its steps require. */
interface WholeFlow {
  flow: FlowStep[];
  ttlSeconds: number;
  hasSender: boolean;
  hasTemplate: boolean;
}

/** Checks a flow. Violations name the fields of the request that led to it. */
function checkFlowAndNeeds(
  { flow, ttlSeconds, hasSender, hasTemplate }: WholeFlow,
  { fallback, template }: GivenConfig,
): Violation[] {
  const required = (field: string): Violation => violation(field, 'required', 'is required');
  const step = fallback ? 'fallback' : 'flow[1]';
  const usesChat = usesChannel(flow, 'chatapp');
  const broken = checkFlow(flow, ttlSeconds).map((each) => ({
    ...each,
    field: each.field.replace('flow[1]', step),
  }));
  if (usesChannel(flow, 'sms') && !hasSender) broken.push(required('sender'));
  if (usesChat && !hasTemplate) broken.push(required('template'));
  const unused = 'must not be given when no code goes over a chat app';
  if (!usesChat && template) broken.push(violation('template', 'not_allowed_value', unused));
  return broken;
}

/** A request uses one of the two notations of a flow. */
function checkNotation({ flow, fallback, channel }: GivenFlow): Violation[] {
  if (!flow) return [];
  const rule = 'not_allowed_value';
  if (fallback) return [{ field: 'fallback', rule, message: 'must not be given together with flow' }];
  const isOther = channel !== undefined && channel !== flow[0]!.channel;
  return isOther ? [{ field: 'channel', rule, message: 'must be that of the first step of flow' }] : [];
}

function checkTestNumbers(testNumbers: readonly { number: string }[]): Violation[] {
  const numbers = testNumbers.map(({ number }) => parseMsisdn(number));
  return numbers.flatMap((number, i) => {
    if (numbers.indexOf(number) === i) return [];
    const field = `testNumbers[${i}].number`;
    return [{ field, rule: 'duplicate_item', message: 'must not repeat another number' }];
  });
}
