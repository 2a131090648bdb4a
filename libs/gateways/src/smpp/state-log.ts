import type { GatewayState } from '../gateway.ts';

/** A state of a gateway, as it is logged. */
export interface LoggedState extends Pick<GatewayState, 'status' | 'reason'> {
  /** Binds that are not up, while others are. */
  isPartial: boolean;
  /** Only a person can change it. */
  isRefused: boolean;
}

type Condition = 'starting' | 'up' | 'partly up' | 'out' | 'closed';

/**
 * Chooses the changes of a gateway that are logged: the start of an outage and its end, and not the attempts in
 * between. An outage that turns out to need a person is logged once more.
 */
export class StateLog {
  private condition: Condition = 'starting';
  private isRefused = false;

  /** @param log logs a state */
  constructor(private readonly log: (state: LoggedState) => void) {}

  /** Takes the next state. */
  note(state: LoggedState): void {
    const condition = this.conditionOf(state);
    const isSame = condition === this.condition;
    const isNews = !isSame || (state.isRefused && !this.isRefused);
    this.condition = condition;
    this.isRefused = state.isRefused || (isSame && this.isRefused);
    if (isNews) this.log(state);
  }

  private conditionOf({ status, isPartial }: LoggedState): Condition {
    if (status === 'closed') return 'closed';
    if (status === 'up') return isPartial ? 'partly up' : 'up';
    return status === 'connecting' && this.condition === 'starting' ? 'starting' : 'out';
  }
}
