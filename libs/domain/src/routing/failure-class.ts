import { ENDINGS, type Ending } from '../ending.ts';
import { isGatewayFault } from './gateway-health.ts';

/** The errCode of a message that no route takes. */
const NO_ROUTE = '011';

/** Classes of errCodes: few enough to count messages by. */
export type FailureClass = Ending | 'no_route' | 'gateway' | 'recipient';

const OWN = new Map<string, FailureClass>([
  ...Object.entries(ENDINGS).map(([ending, { errCode }]) => [errCode, ending as Ending] as const),
  [NO_ROUTE, 'no_route'],
]);

/**
 * Returns the class of an errCode: an ending of Signalbox's own, `recipient` for faults of recipients, texts and
 * senders, else `gateway`.
 */
export function failureClassOf(errCode: string): FailureClass {
  return OWN.get(errCode) ?? (isGatewayFault(errCode) ? 'gateway' : 'recipient');
}
