/**
 * What the StockTrim service keeps, as its answers say it: names are those of the service, and whatever it leaves out
 * or sends as null is null here. Texts are as they came, of others and to be cleaned before a person reads them.
 *
 * @module
 */

/** A supplier of a product. */
export interface ProductSupplier {
  readonly supplierId: string;
  readonly supplierName: string | null;
  readonly supplierSkuCode: string | null;
}

/** The stock of a product at one location. */
interface ProductStock {
  readonly locationCode: string;
  readonly locationName: string | null;
  readonly stockOnHand: number | null;
  readonly stockOnOrder: number | null;
}

/** A product. `productId` is what deleting, stock and orders go by; `code` is what people call it. */
export interface Product {
  readonly id: number | null;
  readonly productId: string;
  /** `productCodeReadable`, or `productId` where there is none. */
  readonly code: string;
  readonly productCodeReadable: string | null;
  readonly name: string | null;
  readonly category: string | null;
  readonly subCategory: string | null;
  /** From 0 to 1. */
  readonly serviceLevel: number | null;
  /** Days. */
  readonly leadTime: number | null;
  /** Days. */
  readonly forecastPeriod: number | null;
  readonly manufacturingTime: number | null;
  readonly orderFrequency: number | null;
  readonly minimumOrderQuantity: number | null;
  readonly minimumShelfLevel: number | null;
  readonly maximumShelfLevel: number | null;
  readonly batchSize: number | null;
  readonly stockOnHand: number | null;
  readonly stockOnOrder: number | null;
  readonly cost: number | null;
  readonly price: number | null;
  readonly supplierCode: string | null;
  readonly suppliers: readonly ProductSupplier[];
  readonly stockLocations: readonly ProductStock[];
  readonly barcode: string | null;
  readonly discontinued: boolean;
  readonly unstocked: boolean;
  readonly ignoreSeasonality: boolean;
}

/** A customer. */
export interface Customer {
  readonly code: string;
  readonly name: string | null;
  readonly emailAddress: string | null;
  readonly phone: string | null;
  readonly streetAddress: string | null;
  readonly addressLine1: string | null;
  readonly addressLine2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly postCode: string | null;
}

/** A supplier. Some have no code: only their name tells them apart. */
export interface Supplier {
  readonly id: number | null;
  readonly supplierCode: string | null;
  readonly supplierName: string | null;
  readonly emailAddress: string | null;
  readonly primaryContactName: string | null;
  readonly externalId: string | null;
  /** Days. */
  readonly defaultLeadTime: number | null;
  readonly streetAddress: string | null;
  readonly addressLine1: string | null;
  readonly addressLine2: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly postCode: string | null;
}

/** A place where stock lies. */
export interface Location {
  readonly id: number | null;
  readonly locationCode: string | null;
  readonly locationName: string | null;
  readonly externalId: string | null;
}

/** How far a purchase order is. */
export type PurchaseOrderStatus = "Draft" | "Approved" | "Sent" | "Received";

/** One line of a purchase order. */
interface PurchaseOrderLine {
  readonly productId: string | null;
  readonly quantity: number | null;
  readonly unitPrice: number | null;
  readonly receivedDate: string | null;
}

/** A purchase order. Dates are as the service writes them, often without a zone. */
export interface PurchaseOrder {
  readonly id: number | null;
  /** What it is called: `referenceNumber`, or `clientReferenceNumber` where that is null. */
  readonly reference: string | null;
  readonly referenceNumber: string | null;
  readonly clientReferenceNumber: string | null;
  readonly externalId: string | null;
  /** Null where the service says something that is none of the four. */
  readonly status: PurchaseOrderStatus | null;
  readonly supplierCode: string | null;
  readonly supplierName: string | null;
  readonly locationCode: string | null;
  readonly locationName: string | null;
  readonly orderDate: string | null;
  readonly createdDate: string | null;
  readonly fullyReceivedDate: string | null;
  readonly lines: readonly PurchaseOrderLine[];
}

/** One sale of one product. */
export interface SalesOrder {
  readonly id: number | null;
  readonly productId: string | null;
  readonly orderDate: string | null;
  readonly quantity: number | null;
  readonly unitPrice: number | null;
  readonly externalReferenceId: string | null;
  readonly locationCode: string | null;
  readonly locationName: string | null;
  readonly customerCode: string | null;
  readonly customerName: string | null;
}

/** A row of the order plan: the forecast of one product, at one location. */
export interface Sku {
  readonly productCode: string;
  readonly name: string | null;
  readonly category: string | null;
  readonly subCategory: string | null;
  readonly locationName: string | null;
  readonly stockOnHand: number | null;
  readonly stockOnOrder: number | null;
  /** How many the service recommends to order. */
  readonly orderQuantity: number | null;
  readonly reorderPoint: number | null;
  readonly safetyStockLevel: number | null;
  readonly leadTimeDays: number | null;
  readonly daysUntilStockOut: number | null;
  readonly daysUntilReplenishmentDue: number | null;
  readonly forecastPeriodDemand: number | null;
  readonly skuCost: number | null;
  readonly skuPrice: number | null;
  readonly isDiscontinued: boolean;
  readonly isUnstocked: boolean;
  /** From 0 to 1. */
  readonly serviceLevel: number | null;
  readonly minimumOrderQuantity: number | null;
}

/** How far the service is with a calculation. */
export interface ProcessingStatus {
  readonly isProcessing: boolean;
  /** From 0 to 100. */
  readonly percentageComplete: number | null;
  readonly statusMessage: string | null;
}
