// Every migration, in order. A migration runs under the name of its class, so neither ever changes.
export { Foundation1795000000000 } from './1795000000000-foundation.ts';
export { LiveWorkers1795050000000 } from './1795050000000-live-workers.ts';
export { SmsContent1795100000000 } from './1795100000000-sms-content.ts';
export { SmsDispatch1795200000000 } from './1795200000000-sms-dispatch.ts';
export { NoLostSubmissions1795210000000 } from './1795210000000-no-lost-submissions.ts';
export { Lookups1795300000000 } from './1795300000000-lookups.ts';
export { Operators1795310000000 } from './1795310000000-operators.ts';
export { OptOuts1795320000000 } from './1795320000000-opt-outs.ts';
export { Phones1795330000000 } from './1795330000000-phones.ts';
export { WebhookSettings1795400000000 } from './1795400000000-webhook-settings.ts';
export { Endpoints1795500000000 } from './1795500000000-endpoints.ts';
export { Replays1795500100000 } from './1795500100000-replays.ts';
export { ReplayEnd1795500200000 } from './1795500200000-replay-end.ts';
export { Verification1795600000000 } from './1795600000000-verification.ts';
export { ChatAccounts1795700000000 } from './1795700000000-chat-accounts.ts';
export { Templates1795710000000 } from './1795710000000-templates.ts';
export { Media1795720000000 } from './1795720000000-media.ts';
export { ChatMessages1795800000000 } from './1795800000000-chat-messages.ts';
export { LeftSecrets1795810000000 } from './1795810000000-left-secrets.ts';
export { ChatEvents1795840000000 } from './1795840000000-chat-events.ts';
export { Throttles1795850000000 } from './1795850000000-throttles.ts';
export { VerificationFlow1795900000000 } from './1795900000000-verification-flow.ts';
export { SlidingQuotas1795900100000 } from './1795900100000-sliding-quotas.ts';
export { ReplayLimit1795950000000 } from './1795950000000-replay-limit.ts';
export { Names1796000000000 } from './1796000000000-names.ts';
export { AccountLimits1796100000000 } from './1796100000000-account-limits.ts';
export { SenderAssignments1796150000000 } from './1796150000000-sender-assignments.ts';
export { MessageLane1796200000000 } from './1796200000000-message-lane.ts';
export { DueMessages1796200100000 } from './1796200100000-due-messages.ts';
export { ReportLanes1796300000000 } from './1796300000000-report-lanes.ts';
export { Gateways1796400000000 } from './1796400000000-gateways.ts';
export { GatewayIds1796410000000 } from './1796410000000-gateway-ids.ts';
export { BindSlots1796415000000 } from './1796415000000-bind-slots.ts';
export { OrphanReports1796420000000 } from './1796420000000-orphan-reports.ts';
export { ProviderTemplates1796430000000 } from './1796430000000-provider-templates.ts';
export { DueTimes1796500000000 } from './1796500000000-due-times.ts';
export { DueRows1796500100000 } from './1796500100000-due-rows.ts';
export { ReadyTables1796500200000 } from './1796500200000-ready-tables.ts';
export { ReadyRows1796500300000 } from './1796500300000-ready-rows.ts';
export { ReportDetails1796600000000 } from './1796600000000-report-details.ts';
<<<<<<< HEAD
export { MessageStatistics1796720000000 } from './1796720000000-message-statistics.ts';
=======
export { EndpointHours1796730000000 } from './1796730000000-endpoint-hours.ts';
>>>>>>> main
export { EqualIds1796760000000 } from './1796760000000-equal-ids.ts';
