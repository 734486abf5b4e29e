// The API's answers by short names. They are made from the OpenAPI document, so a script that misreads one does not pass `cargo xtask ci`.
import type { components } from "api";

type Schemas = components["schemas"];

export type Session = Schemas["Session"];
export type Now = Schemas["Now"];
export type DestinationNow = Schemas["Card"];
export type Problem = Schemas["NeedsAPerson"];
export type Status = Schemas["Status"];
export type Listed = Schemas["Delivery"];
export type Message = Schemas["Message"];
export type Delivery = Schemas["DeliveryReport"];
export type Attempt = Schemas["Attempt"];
export type Explanation = Schemas["Explanation"];
export type Completion = Schemas["Completion"];
export type FailureGroup = Schemas["FailureGroup"];
export type Failures = Schemas["Failures"];
export type Series = Schemas["Series"];
export type AuditEntry = Schemas["AuditEntry"];
export type Destination = Schemas["Destination"];
export type Setup = Schemas["Setup"];
export type DestinationSetup = Schemas["DestinationSetup"];
export type Job = Schemas["Job"];
export type JobPreview = Schemas["JobPreview"];
export type Workers = Schemas["Workers"];
