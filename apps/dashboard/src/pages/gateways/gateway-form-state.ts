import type { UseFormReturnType } from '@mantine/form';
import type { GatewayValues } from './gateway-values.ts';

/** The form of a gateway. */
export type GatewayFormState = UseFormReturnType<GatewayValues>;
