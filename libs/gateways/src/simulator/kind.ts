import { IsOptional } from 'class-validator';
import { IsIntBetween } from '../is-int-between.ts';
import type { GatewayKind } from '../gateway-kind.ts';
import { SimulatorGateway } from './simulator.gateway.ts';

/** Settings of a simulated gateway. */
export class SimulatorSettings {
  /** Milliseconds between a submit and its first report, and between reports. */
  @IsOptional()
  @IsIntBetween(0, 3_600_000)
  delayMs: number = 300;
}

/** Gateways that send nothing: the last four digits of a recipient choose its reports. */
export const SIMULATOR_KIND: GatewayKind<SimulatorSettings> = {
  kind: 'simulator',
  channels: ['sms'],
  Settings: SimulatorSettings,
  secrets: [],
  open: ({ name, settings, ratePerSecond }) =>
    new SimulatorGateway({ name, delayMs: settings.delayMs, ratePerSecond }),
};
