import type { Rule, Violation } from '@signalbox/domain/violation';
import type { ChatHeader } from '@signalbox/domain/chat/message';
import type { CompiledHeader, CompiledTemplate, TemplateValues } from '@signalbox/domain/chat/template';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { ChatMessageRequest } from './chat-message.dto.ts';

/** Values for a template, and the paths of values that it does not use. */
export interface FittingValues {
  values: TemplateValues;
  ignored: string[];
}

/**
 * Matches the values of a request with the placeholders of its template.
 *
 * @throws ApiError template_parameters_mismatch, template_header_mismatch; invalid_request when the code is missing
 */
export function fitValues(
  template: CompiledTemplate,
  { components, otp }: ChatMessageRequest,
): FittingValues {
  const params = components?.body?.params ?? [];
  if (template.carriesCode) requireCode(params, otp);
  else requireCount(params, template.paramCount);
  const { header, isIgnored } = fitHeader(template.header, components?.header);
  const ignored = [
    ...(otp !== undefined && !template.carriesCode ? ['otp'] : []),
    ...(isIgnored ? ['components.header.text'] : []),
  ];
  return { values: template.carriesCode ? { params: [], header, code: otp } : { params, header }, ignored };
}

function requireCount(params: string[], wanted: number): void {
  if (params.length === wanted) return;
  const message = `must have ${wanted} values, one per placeholder of the template, and has ${params.length}`;
  throw mismatch('template_parameters_mismatch', 'components.body.params', 'wrong_count', message);
}

/** The values may be empty, or hold the code once more. */
function requireCode(params: string[], otp: string | undefined): void {
  const needed: Violation = {
    field: 'otp',
    rule: 'required',
    message: 'is required, since the template carries a code',
  };
  if (otp === undefined) throw invalidRequest([needed]);
  if (params.length === 0 || (params.length === 1 && params[0] === otp)) return;
  const message = 'must be left out, since otp fills the template';
  throw mismatch('template_parameters_mismatch', 'components.body.params', 'not_allowed_value', message);
}

function fitHeader(
  wanted: CompiledHeader | undefined,
  given: ChatHeader | undefined,
): { header?: ChatHeader; isIgnored: boolean } {
  const isFixed = wanted === undefined || (wanted.type === 'text' && !wanted.isFilled);
  if (given === undefined && isFixed) return { isIgnored: false };
  if (wanted !== undefined && given?.type === wanted.type)
    return isFixed ? { isIgnored: true } : { header: given, isIgnored: false };
  const message =
    wanted === undefined
      ? 'must be left out, since the template has none'
      : `must have the type ${wanted.type}`;
  throw mismatch(
    'template_header_mismatch',
    'components.header',
    given === undefined ? 'required' : 'template_mismatch',
    message,
  );
}

function mismatch(code: ErrorCode, field: string, rule: Rule, message: string): ApiError {
  return new ApiError(code, `${field} ${message}`, { details: [{ field, rule, message }] });
}
