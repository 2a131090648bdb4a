import type { Channel } from '@signalbox/domain/channel';
import type { CallbackFormat } from './callback-format.ts';
import type { Gateway } from './gateway.ts';
import type { GatewayHost } from './gateway-host.ts';
import type { OpenRow } from './open-row.ts';

/** A credential of a kind. It is sealed, and never shown again. */
export interface GatewaySecret {
  name: string;
  required: boolean;
  help: string;
}

/** A problem of a row as a sentence without its subject, and the field that it concerns. */
export interface GatewayProblem {
  field: string;
  problem: string;
}

/** A vendor's settings, which a row chooses by its setting `preset`. */
export interface KindPreset {
  name: string;
  /** Settings that the preset needs. */
  requires: readonly string[];
  /** Further settings that it uses. Those of other presets are refused. */
  allows: readonly string[];
}

/** One kind of gateway: its settings, its credentials, and how a row of it is opened. */
export interface GatewayKind<Settings extends object = object> {
  /** Name by which rows choose it. */
  kind: string;
  channels: readonly Channel[];
  /** The class-validator class of a row's settings. Unknown keys are refused. */
  Settings: new () => Settings;
  secrets: readonly GatewaySecret[];
  presets?: readonly KindPreset[];
  /** Checks across fields that a class cannot express. */
  check?(settings: Settings, secrets: Record<string, string>): GatewayProblem[];
  /** The host that credentials are sent to. May throw for settings that no check has passed. */
  hostOf?(settings: Settings): string | undefined;
  /** Never throws for settings that passed the checks; what is wrong later is the gateway's state. */
  open(row: OpenRow<Settings>, host: GatewayHost): Gateway;
  /** Undefined when this kind, or these settings, report by no callback. */
  callbacks?(row: OpenRow<Settings>): CallbackFormat | undefined;
}
