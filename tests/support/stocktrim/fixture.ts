/**
 * What the stand-in of StockTrim begins with: a small shop, with everything that is odd in real accounts.
 *
 * @module
 */

/** A record as it goes over the wire. */
export type Row = Record<string, unknown>;

/** Everything that the stand-in keeps. */
export interface Shop {
  readonly products: Row[];
  readonly suppliers: Row[];
  readonly customers: Row[];
  readonly locations: Row[];
  readonly purchaseOrders: Row[];
  readonly salesOrders: Row[];
  readonly boms: Row[];
}

const CATEGORIES = ["Coffee", "Tea", "Accessories"] as const;
const SUPPLIERS = ["BEAN", "LEAF", "GEAR"] as const;
const PRODUCTS = 60;

/** The product of a number from 1: its stock lasts for as many days as its number. */
function productOf(number: number): Row {
  const code = `SKU-${String(number).padStart(3, "0")}`;
  const kind = number % 3;
  return {
    id: 1_000 + number,
    // The second is called otherwise than its id.
    productId: number === 2 ? "33303389" : code,
    productCodeReadable: code,
    name: number === 60 ? null : `${CATEGORIES[kind]} ${number}`,
    category: CATEGORIES[kind],
    subCategory: null,
    serviceLevel: 0.95,
    leadTime: 7,
    forecastPeriod: 30,
    minimumOrderQuantity: 5,
    stockOnHand: number * 2,
    stockOnOrder: 0,
    cost: number === 60 ? null : 10 + number,
    price: 20 + number,
    supplierCode: SUPPLIERS[kind],
    suppliers: [{ supplierId: SUPPLIERS[kind], supplierName: null, supplierSkuCode: null }],
    stockLocations: [{ locationCode: "MAIN", locationName: "Main store", stockOnHand: number }],
    discontinued: number === 59,
    unstocked: false,
    ignoreSeasonality: number === 59,
    overriddenDemand: null,
    variantType: null,
  };
}

function purchaseOrderOf(number: number, status: string, lines: readonly Row[]): Row {
  const reference = `PO-${number}`;
  return {
    id: 2_000 + number,
    message: null,
    // Zones are often left out.
    orderDate: `2026-01-0${number}T08:30:00.307`,
    createdDate: `2026-01-0${number}T08:30:00.307`,
    fullyReceivedDate: status === "Received" ? "2026-01-20T00:00:00" : null,
    supplier: { supplierCode: number === 4 ? null : "BEAN", supplierName: "Bean & Co" },
    externalId: null,
    referenceNumber: number === 5 ? null : reference,
    clientReferenceNumber: reference,
    location: number === 3 ? null : { locationCode: "MAIN", locationName: "Main store" },
    status,
    purchaseOrderLineItems: lines,
  };
}

function salesOrderOf(number: number, productId: string, customerCode: string | null): Row {
  return {
    id: 3_000 + number,
    locationId: 1,
    productId,
    orderDate: `2026-01-1${number}T00:00:00`,
    quantity: number,
    externalReferenceId: `SO-${number}`,
    unitPrice: number === 3 ? null : 25,
    locationCode: "MAIN",
    locationName: "Main store",
    customerCode,
    customerName: null,
  };
}

/** A new shop. */
export function newShop(): Shop {
  const line = (productId: string, quantity: number, unitPrice: number | null): Row => ({
    productId,
    quantity,
    unitPrice,
    receivedDate: null,
  });
  return {
    products: Array.from({ length: PRODUCTS }, (_, index) => productOf(index + 1)),
    suppliers: [
      {
        id: 1,
        supplierCode: "BEAN",
        supplierName: "Bean & Co",
        emailAddress: "orders@bean.example",
        primaryContactName: "Bea Bean",
        defaultLeadTime: 7,
        country: "NZ",
      },
      {
        id: 2,
        supplierCode: "LEAF",
        supplierName: "Leaf Traders",
        emailAddress: "sales@leaf.example",
        primaryContactName: null,
      },
      { id: 3, supplierCode: "GEAR", supplierName: null, emailAddress: null },
      { id: 4, supplierCode: null, supplierName: "Market stall", emailAddress: null },
    ],
    customers: [
      {
        code: "C-1",
        name: "Corner Café",
        emailAddress: "hello@corner.example",
        city: "Wellington",
      },
      { code: "C-2", name: "Office Ltd", emailAddress: null, phone: "555-0102" },
      { code: "C-3", name: null },
    ],
    locations: [
      { id: 1, locationCode: "MAIN", locationName: "Main store", externalId: null },
      { id: 2, locationCode: "WEST", locationName: "West depot", externalId: null },
    ],
    purchaseOrders: [
      purchaseOrderOf(1, "Draft", [line("SKU-001", 10, 11.5), line("33303389", 4, null)]),
      purchaseOrderOf(2, "Approved", [line("SKU-003", 20, 13)]),
      purchaseOrderOf(3, "Sent", []),
      purchaseOrderOf(4, "Received", [line("SKU-004", 1, 1_234.5)]),
      purchaseOrderOf(5, "Draft", [line("SKU-005", 2, 15)]),
    ],
    salesOrders: [
      salesOrderOf(1, "SKU-001", "C-1"),
      salesOrderOf(2, "SKU-001", "C-2"),
      salesOrderOf(3, "33303389", null),
    ],
    boms: [{ productId: "SKU-010", componentId: "SKU-011", quantity: 2 }],
  };
}
